//! Recording of writes in the ledger of a target that will be verified.

use super::Machine;
use crate::pattern::Payload;
use crate::record::Class;
use crate::ring::SharedBuffers;
use crate::verify::SectorHeader;

impl Machine {
    // Records the start of a write or trim, before it is submitted.
    #[cold]
    pub(super) fn record_start(&mut self, number: u32, buffers: &mut SharedBuffers) {
        let slot = &mut self.slots[number as usize];
        let Some(ledger) = &self.ledger else { return };
        match slot.class {
            Class::Write => {
                slot.sequence = ledger.begin_write(slot.offset_bytes, slot.length_bytes);
                if self.payload.is_some() {
                    let header = SectorHeader {
                        run: ledger.head().run,
                        offset_bytes: slot.offset_bytes,
                        sequence: slot.sequence,
                    };
                    Payload::write_headers(buffers, slot.buffer_at, slot.length_bytes, header);
                }
            }
            Class::Trim => ledger.begin_trim(slot.offset_bytes, slot.length_bytes),
            Class::Read | Class::Flush | Class::Commit => {}
        }
    }

    // Records the end of a write or trim, successful or not.
    #[cold]
    pub(super) fn record_end(&self, number: u32, class: Class, is_done: bool) {
        let slot = &self.slots[number as usize];
        let Some(ledger) = &self.ledger else { return };
        match class {
            Class::Write => ledger.end(slot.offset_bytes, slot.length_bytes, is_done.then_some(slot.sequence)),
            Class::Trim => ledger.end(slot.offset_bytes, slot.length_bytes, None),
            Class::Read | Class::Flush | Class::Commit => {}
        }
    }
}
