//! Secrets.

use std::fmt::{Debug, Formatter, Result as FmtResult};

use thiserror::Error;

/// Least length of a text, in bytes.
const LEAST: usize = 16;

/// Domain of the keys that are derived from texts.
const CONTEXT: &str = "blob_fluid match_socket 2026-11 secret of a match";

/// The secret that the two players of a match share.
///
/// Whoever lets players meet draws 32 random bytes for each match and sends them to both over a line that
/// nobody reads, such as HTTPS. Players without such a place agree on a text.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct MatchSecret([u8; 32]);

impl MatchSecret {
    /// A secret of 32 random bytes.
    pub fn new(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// A secret from a text of at least 16 bytes. Whoever records a match can guess texts as fast as a hash is
    /// computed: take several words that nobody would guess.
    ///
    /// # Errors
    ///
    /// If the text is too short.
    pub fn from_text(text: &str) -> Result<Self, SecretError> {
        match text.len() {
            length if length < LEAST => Err(SecretError::TooShort { length }),
            _ => Ok(Self(blake3::derive_key(CONTEXT, text.as_bytes()))),
        }
    }

    pub(crate) fn key(&self) -> &[u8; 32] {
        &self.0
    }
}

impl Debug for MatchSecret {
    /// Secrets stay out of logs.
    fn fmt(&self, f: &mut Formatter<'_>) -> FmtResult {
        f.write_str("MatchSecret")
    }
}

/// An error of a secret.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SecretError {
    /// Too short to be hard to guess.
    #[error("the secret has {length} bytes, and at least {LEAST} are needed")]
    TooShort {
        /// Length of the text, in bytes.
        length: usize,
    },
}
