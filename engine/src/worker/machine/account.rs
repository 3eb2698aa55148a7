//! The account that is kept of writes where the target will be verified.

use super::Worker;
use crate::clock::Clock;
use crate::record::Class;
use crate::ring::Ring;
use crate::verify::Seal;

impl<R: Ring, C: Clock> Worker<R, C> {
    // A slot's write or trim begins: the ledger knows of it before the kernel does.
    #[cold]
    pub(super) fn enter(&mut self, number: u32) {
        let slot = &mut self.slots[number as usize];
        let Some(ledger) = &self.ledger else { return };
        match slot.class {
            Class::Write => {
                slot.sequence = ledger.begin_write(slot.offset_bytes, slot.length_bytes);
                if let Some(payload) = &mut self.payload {
                    let (run, offset_bytes) = (ledger.head().run, slot.offset_bytes);
                    payload.seal(slot.buffer, slot.length_bytes, Seal { run, offset_bytes, sequence: slot.sequence });
                }
            }
            Class::Trim => ledger.begin_trim(slot.offset_bytes, slot.length_bytes),
            Class::Read | Class::Flush | Class::Commit => {}
        }
    }

    // It has come back for good, as it should or not.
    #[cold]
    pub(super) fn leave(&self, number: u32, class: Class, is_done: bool) {
        let slot = &self.slots[number as usize];
        let Some(ledger) = &self.ledger else { return };
        match class {
            Class::Write => ledger.end(slot.offset_bytes, slot.length_bytes, is_done.then_some(slot.sequence)),
            Class::Trim => ledger.end(slot.offset_bytes, slot.length_bytes, None),
            Class::Read | Class::Flush | Class::Commit => {}
        }
    }
}
