//! Mutates inputs as lines, most of which are JSON. Random changes of bytes hardly ever get past the parser.

use libfuzzer_sys::fuzzer_mutate;
use serde_json::{Map, Value, json};

/// Boundary values: around limits, powers of two, and the ends of types.
const NUMBERS: [u64; 32] = [
    0,
    1,
    2,
    7,
    16,
    64,
    99,
    100,
    101,
    255,
    256,
    511,
    512,
    1000,
    1024,
    4096,
    4097,
    8192,
    65_535,
    65_536,
    1 << 20,
    1_000_000,
    1 << 26,
    (1 << 26) + 512,
    1_000_000_000,
    1 << 32,
    1 << 40,
    2_592_000_000_000_000,
    1 << 53,
    1 << 62,
    1 << 63,
    u64::MAX,
];

/// Words with a meaning in some command.
const WORDS: [&str; 50] = [
    "open",
    "run",
    "sync",
    "wait",
    "calibrate",
    "close",
    "stop",
    "null",
    "nop",
    "simulation",
    "file",
    "psync",
    "io_uring",
    "random",
    "sequential",
    "permutation",
    "fast_random",
    "zipf",
    "pareto",
    "hot_spots",
    "strided",
    "runs",
    "fdatasync",
    "dsync",
    "none",
    "poisson",
    "constant",
    "queueing",
    "iopoll",
    "sqpoll",
    "verify",
    "ledger",
    "kept",
    "left",
    "read",
    "write",
    "path",
    "/run/account/1",
    "resize",
    "remove",
    "trim_percent",
    "offset_bytes",
    "direct",
    "amount_bytes",
    "done_bytes",
    "duty",
    "limit_ns",
    "decide_ns",
    "continue",
    "purge_simulated",
];

struct Dice(u64);

impl Dice {
    // SplitMix64 (Steele, Lea and Flood, 2014).
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    #[allow(clippy::cast_possible_truncation)] // Below a usize.
    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound.max(1) as u64) as usize
    }
}

/// Mutates `size` bytes of `data`, up to `max_size`. Returns the new size.
pub fn mutate(data: &mut [u8], size: usize, max_size: usize, seed: u32) -> usize {
    let mut dice = Dice(seed.into());
    if dice.below(5) == 0 {
        return fuzzer_mutate(data, size, max_size);
    }
    let mut lines: Vec<Vec<u8>> = data[..size].split(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
    for _ in 0..=dice.below(3) {
        change(&mut lines, &mut dice);
    }
    let mut text = lines.join(&b'\n');
    text.truncate(max_size.min(data.len()));
    data[..text.len()].copy_from_slice(&text);
    text.len()
}

fn change(lines: &mut Vec<Vec<u8>>, dice: &mut Dice) {
    let number = dice.below(lines.len());
    match dice.below(12) {
        0 => {
            let line = lines[number].clone();
            lines.insert(dice.below(lines.len() + 1), line);
        }
        1 => {
            let other = dice.below(lines.len());
            lines.swap(number, other);
        }
        2 if lines.len() > 1 => {
            lines.remove(number);
        }
        _ => {
            if let Ok(mut value) = serde_json::from_slice::<Value>(&lines[number]) {
                change_value(&mut value, dice);
                lines[number] = value.to_string().into_bytes();
            }
        }
    }
}

// Descends to a random place in the value and replaces it.
fn change_value(value: &mut Value, dice: &mut Dice) {
    match value {
        Value::Object(fields) if !fields.is_empty() => change_fields(fields, dice),
        Value::Array(items) if !items.is_empty() && dice.below(4) > 0 => {
            let place = dice.below(items.len());
            match dice.below(6) {
                0 => items.push(items[place].clone()),
                1 => drop(items.remove(place)),
                _ => change_value(&mut items[place], dice),
            }
        }
        Value::Number(number) if dice.below(2) == 0 => {
            let near = number.as_u64().unwrap_or(0);
            let step = [1, 2, 512, 4096][dice.below(4)];
            *value = json!(match dice.below(4) {
                0 => near.wrapping_add(step),
                1 => near.wrapping_sub(step),
                2 => near.wrapping_mul(2),
                _ => near / 2,
            });
        }
        Value::Number(_) => *value = json!(NUMBERS[dice.below(NUMBERS.len())]),
        _ => *value = another(dice),
    }
}

fn change_fields(fields: &mut Map<String, Value>, dice: &mut Dice) {
    let name = fields.keys().nth(dice.below(fields.len())).cloned().unwrap_or_default();
    match dice.below(16) {
        0 => drop(fields.remove(&name)),
        1 => drop(fields.insert(name, another(dice))),
        2 => {
            let word = WORDS[dice.below(WORDS.len())].to_owned();
            fields.insert(word, another(dice));
        }
        _ => change_value(fields.get_mut(&name).unwrap_or(&mut Value::Null), dice),
    }
}

fn another(dice: &mut Dice) -> Value {
    match dice.below(9) {
        0 => Value::Null,
        1 => json!(dice.below(2) == 0),
        2 => json!([]),
        3 => json!({}),
        4 => json!(-1),
        5 => json!(WORDS[dice.below(WORDS.len())]),
        6 => json!({"think_ns": NUMBERS[dice.below(NUMBERS.len())], "operations": NUMBERS[dice.below(NUMBERS.len())]}),
        7 => json!({"on_ns": NUMBERS[dice.below(NUMBERS.len())], "off_ns": NUMBERS[dice.below(NUMBERS.len())]}),
        _ => json!(NUMBERS[dice.below(NUMBERS.len())]),
    }
}
