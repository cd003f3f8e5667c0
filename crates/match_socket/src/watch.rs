//! The end of a match.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};

use ggrs::{Config, GgrsEvent};
use thiserror::Error;

use crate::socket::MatchSocket;

/// Ends a match whose machines differ, or of which that cannot be seen.
pub struct MatchWatch {
    reported: Arc<AtomicI32>,
    /// Most frames without a checksum.
    most: i32,
}

impl MatchWatch {
    /// A watch over the session of a socket: the frames between two checksums, as in
    /// [`DesyncDetection::On`](ggrs::DesyncDetection::On), and the intervals without a checksum after which the
    /// match ends. A checksum is sent once, so lost packets look like missing checksums: take several.
    pub fn new(socket: &MatchSocket, interval: u32, intervals: u32) -> Self {
        let most = interval.saturating_mul(intervals);
        Self { reported: socket.reported(), most: i32::try_from(most).unwrap_or(i32::MAX) }
    }

    /// Checks the new events of a session, and its confirmed frame before it gave them.
    ///
    /// # Errors
    ///
    /// If the match must end.
    pub fn check<T>(&self, events: &[GgrsEvent<T>], confirmed: i32) -> Result<(), MatchError>
    where
        T: Config<Address = SocketAddr>,
    {
        for event in events {
            match event {
                GgrsEvent::DesyncDetected { frame, .. } => {
                    return Err(MatchError::Desync { frame: *frame });
                }
                GgrsEvent::Disconnected { addr } => return Err(MatchError::Left { peer: *addr }),
                _ => {}
            }
        }
        let reported = self.reported.load(Ordering::Relaxed).max(0);
        match confirmed.saturating_sub(reported) > self.most {
            true => Err(MatchError::NoChecksum { reported, confirmed }),
            false => Ok(()),
        }
    }
}

/// Why a match has ended.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum MatchError {
    /// The checksums of a frame differ.
    #[error("desync: the two machines differ in frame {frame}")]
    Desync {
        /// The frame.
        frame: i32,
    },
    /// The peer plays on but sends no checksums, so that nobody knows whether the machines differ.
    #[error("desync: no checksum from frame {reported} to frame {confirmed}")]
    NoChecksum {
        /// The frame of the last checksum, or 0.
        reported: i32,
        /// The last frame whose inputs are known.
        confirmed: i32,
    },
    /// The peer has left, or nothing came from it for too long.
    #[error("{peer} has left")]
    Left {
        /// The address of the peer.
        peer: SocketAddr,
    },
}
