//! The ways to purge a device.

use serde::{Deserialize, Serialize};

use crate::nvme::{Controller, FormatErase, SanitizeAction};

/// A way to purge a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// Discard all blocks (`BLKDISCARD`): the drive may forget their data, and need not.
    Discard,
    /// NVMe Format NVM with user data erase.
    Format,
    /// NVMe Format NVM with cryptographic erase.
    CryptoFormat,
    /// NVMe Sanitize, block erase.
    SanitizeBlock,
    /// NVMe Sanitize, crypto erase.
    SanitizeCrypto,
    /// NVMe Sanitize, overwrite.
    SanitizeOverwrite,
}

impl Method {
    /// The secure erase of a format; None for any other method.
    #[must_use]
    pub fn format_erase(self) -> Option<FormatErase> {
        match self {
            Self::Format => Some(FormatErase::UserData),
            Self::CryptoFormat => Some(FormatErase::Crypto),
            _ => None,
        }
    }

    /// The action of a sanitize operation; None for any other method.
    #[must_use]
    pub fn sanitize_action(self) -> Option<SanitizeAction> {
        match self {
            Self::SanitizeBlock => Some(SanitizeAction::Block),
            Self::SanitizeCrypto => Some(SanitizeAction::Crypto),
            Self::SanitizeOverwrite => Some(SanitizeAction::Overwrite),
            _ => None,
        }
    }

    /// Whether a controller supports it. Discards are no matter of the controller.
    #[must_use]
    pub fn is_supported_by(self, controller: &Controller) -> bool {
        match self {
            Self::Discard => true,
            Self::Format => controller.formats,
            Self::CryptoFormat => controller.formats && controller.crypto_formats,
            Self::SanitizeBlock => controller.sanitizes_block,
            Self::SanitizeCrypto => controller.sanitizes_crypto,
            Self::SanitizeOverwrite => controller.sanitizes_overwrite,
        }
    }

    /// Whether it reaches all namespaces of the subsystem.
    #[must_use]
    pub fn reaches_all(self, controller: &Controller) -> bool {
        match self {
            Self::Discard => false,
            Self::Format | Self::CryptoFormat => controller.formats_all || controller.erases_all,
            Self::SanitizeBlock | Self::SanitizeCrypto | Self::SanitizeOverwrite => true,
        }
    }
}
