//! PNG files.

use std::fs::{self, File};
use std::io::{self, BufWriter};
use std::path::Path;

/// Saves red, green and blue bytes, row by row from the top, and creates the folder if it is
/// missing.
pub(crate) fn save(path: &Path, width: u32, height: u32, rgb: &[u8]) -> io::Result<()> {
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        fs::create_dir_all(folder)?;
    }
    let mut encoder = png::Encoder::new(BufWriter::new(File::create(path)?), width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header().map_err(io::Error::other)?;
    writer.write_image_data(rgb).map_err(io::Error::other)
}

/// Ends the program with an error, because `App::run` in an example's `main` would ignore it.
pub(crate) fn exit_with(message: &str) -> ! {
    eprintln!("{message}");
    std::process::exit(1);
}
