"""What emulated drives report about their health, and the limits that a run keeps."""
