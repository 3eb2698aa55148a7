//! Strided passes.

use iosonde_engine::pattern::Stride;

#[test]
fn passes_visit_every_number_once_at_equal_distances() {
    for (bound, distance) in [(1, 1), (10, 1), (10, 3), (10, 10), (12, 4), (1000, 7), (1024, 64), (997, 100)] {
        let stride = Stride::new(bound, distance);
        let order: Vec<u64> = (0..bound).map(|place| stride.at(place)).collect();
        let mut sorted = order.clone();
        sorted.sort_unstable();
        assert!(sorted.iter().copied().eq(0..bound), "{bound} by {distance}: {order:?}");
        let passes = order.windows(2).filter(|pair| pair[1] != pair[0] + distance).count() + 1;
        assert_eq!(passes as u64, distance, "{bound} by {distance}: {order:?}");
    }
}

#[test]
fn each_pass_starts_one_further_than_the_previous() {
    let stride = Stride::new(10, 4);
    let order: Vec<u64> = (0..10).map(|place| stride.at(place)).collect();
    assert_eq!(order, [0, 4, 8, 1, 5, 9, 2, 6, 3, 7]);
}
