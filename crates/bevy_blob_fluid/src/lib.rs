//! bevy_blob_fluid
