//! Tells whether freshly drawn pictures still look like the stored ones.
//!
//! `cargo run -p picture_check -- docs/images/gallery fresh --differences different`
//!
//! Every PNG of the first folder is compared with that of the same name in the second. The score is 1
//! where they look the same; it is that of the part of the picture where they look the least alike.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;
use image::{GrayImage, ImageError, Luma, Rgb, RgbImage};
use image_compare::Algorithm;
use thiserror::Error;

/// Tells whether freshly drawn pictures still look like the stored ones.
#[derive(Parser)]
struct Arguments {
    /// Folder of the stored pictures.
    stored: PathBuf,
    /// Folder of the fresh pictures.
    fresh: PathBuf,
    /// Least score that passes, 0 to 1.
    #[arg(long, default_value_t = 0.8)]
    least: f64,
    /// Where pictures of the differences go, of those that fail.
    #[arg(long, default_value = "picture_differences")]
    differences: PathBuf,
}

/// Why pictures could not be compared.
#[derive(Debug, Error)]
enum CheckError {
    #[error("{path}: {error}")]
    Folder { path: PathBuf, error: std::io::Error },
    #[error("{0}: no pictures")]
    Empty(PathBuf),
    #[error("{path}: {error}")]
    Picture { path: PathBuf, error: ImageError },
}

fn main() -> ExitCode {
    match check(&Arguments::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("picture_check: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Compares all pictures; says whether all pass.
fn check(arguments: &Arguments) -> Result<bool, CheckError> {
    let mut all_pass = true;
    for name in names(&arguments.stored)? {
        let stored = open(&arguments.stored.join(&name))?;
        let fresh = match open(&arguments.fresh.join(&name)) {
            Ok(fresh) => fresh,
            Err(error) => {
                println!("{name}: {error}");
                all_pass = false;
                continue;
            }
        };
        let Some(Comparison { score, difference }) = compare(&stored, &fresh) else {
            println!("{name}: {:?} became {:?}", stored.dimensions(), fresh.dimensions());
            all_pass = false;
            continue;
        };
        // NaN does not pass either.
        let passes = score >= arguments.least;
        println!("{name}: {score:.3}{}", if passes { "" } else { "  looks different" });
        if !passes {
            all_pass = false;
            save(&difference, &arguments.differences, &name)?;
        }
    }
    Ok(all_pass)
}

/// Names of the pictures in a folder, in order.
fn names(folder: &Path) -> Result<Vec<String>, CheckError> {
    let failed = |error| CheckError::Folder { path: folder.to_owned(), error };
    let mut names = Vec::new();
    for entry in folder.read_dir().map_err(failed)? {
        let name = entry.map_err(failed)?.file_name().to_string_lossy().into_owned();
        if name.ends_with(".png") {
            names.push(name);
        }
    }
    names.sort();
    if names.is_empty() { Err(CheckError::Empty(folder.to_owned())) } else { Ok(names) }
}

fn open(path: &Path) -> Result<RgbImage, CheckError> {
    let opened = image::open(path).map(|picture| picture.to_rgb8());
    opened.map_err(|error| CheckError::Picture { path: path.to_owned(), error })
}

fn save(difference: &RgbImage, folder: &Path, name: &str) -> Result<(), CheckError> {
    std::fs::create_dir_all(folder)
        .map_err(|error| CheckError::Folder { path: folder.to_owned(), error })?;
    let path = folder.join(name);
    difference.save(&path).map_err(|error| CheckError::Picture { path, error })
}

// How alike two pictures look.

/// Levels of 255 that a colour may be off without being seen.
const UNSEEN: u8 = 3;
/// Levels that it is off when it is another colour.
const OTHER_COLOR: u32 = 64;
/// Width and height of the parts that are judged by themselves, in pixels.
const PART: u32 = 32;

/// How alike two pictures look.
struct Comparison {
    /// Likeness of the part of the pictures where it is the least: 1 for the same, about 0 for what has
    /// nothing in common. It is the structural similarity (Wang et al. 2004) or how near the colours
    /// are, whichever is less, of red, green or blue.
    score: f64,
    /// The fresh picture in grey, and what is different in it in red.
    difference: RgbImage,
}

/// Compares two pictures; `None` if they are of different sizes.
fn compare(stored: &RgbImage, fresh: &RgbImage) -> Option<Comparison> {
    let seen = without_unseen(stored, fresh)?;
    let (width, height) = stored.dimensions();
    let by = |algorithm| {
        let similarity = image_compare::rgb_similarity_structure(&algorithm, stored, &seen).ok()?;
        Some(similarity.image.to_color_map().to_rgb8())
    };
    let (structure, colors) = (by(Algorithm::MSSIMSimple)?, by(Algorithm::RootMeanSquared)?);
    let alike = GrayImage::from_fn(width, height, |x, y| {
        let least = |picture: &RgbImage| picture.get_pixel(x, y).0.into_iter().min();
        let (structure, color) = (least(&structure), least(&colors));
        let off = 255 - color.unwrap_or_default();
        let color = 255 - (u32::from(off) * 255 / OTHER_COLOR).min(255) as u8;
        Luma([structure.unwrap_or_default().min(color)])
    });
    let mut difference = image::DynamicImage::from(fresh.clone()).grayscale().to_rgb8();
    for (pixel, Luma([alike])) in difference.pixels_mut().zip(alike.pixels()) {
        let grey = pixel.0[0] / 2;
        *pixel = Rgb([grey.saturating_add(255 - alike), grey, grey]);
    }
    Some(Comparison { score: least_of_parts(&alike), difference })
}

/// The mean of the part of a picture where that is the least, 0 to 1.
fn least_of_parts(alike: &GrayImage) -> f64 {
    let (width, height) = alike.dimensions();
    let starts = |length: u32| (0..length).step_by(PART as usize / 2);
    let places = starts(height).flat_map(|top| starts(width).map(move |left| (left, top)));
    let means = places.map(|(left, top)| {
        let (wide, high) = (PART.min(width - left), PART.min(height - top));
        let part = image::imageops::crop_imm(alike, left, top, wide, high).to_image();
        let sum: f64 = part.pixels().map(|Luma([alike])| f64::from(*alike)).sum();
        sum / 255.0 / f64::from(wide * high)
    });
    means.fold(1.0, f64::min)
}

/// The fresh picture with the stored one's colour wherever nobody sees a difference: the similarity
/// of even surfaces would make much of it.
fn without_unseen(stored: &RgbImage, fresh: &RgbImage) -> Option<RgbImage> {
    if stored.dimensions() != fresh.dimensions() {
        return None;
    }
    let mut seen = fresh.clone();
    for (pixel, stored) in seen.pixels_mut().zip(stored.pixels()) {
        let near = |(one, other): (u8, u8)| one.abs_diff(other) <= UNSEEN;
        if pixel.0.into_iter().zip(stored.0).all(near) {
            *pixel = *stored;
        }
    }
    Some(seen)
}

#[cfg(test)]
mod tests {
    use image::imageops;

    use super::*;

    /// Stored and fresh folders with a picture each, and what the check says of them.
    fn outcome(test: &str, fresh: Option<RgbImage>) -> (bool, bool) {
        let folder =
            std::env::temp_dir().join(format!("picture_check_{test}_{}", std::process::id()));
        let arguments = Arguments {
            stored: folder.join("stored"),
            fresh: folder.join("fresh"),
            least: 0.8,
            differences: folder.join("differences"),
        };
        save(&RgbImage::new(32, 32), &arguments.stored, "a.png").expect("writable");
        std::fs::create_dir_all(&arguments.fresh).expect("writable");
        if let Some(fresh) = fresh {
            save(&fresh, &arguments.fresh, "a.png").expect("writable");
        }
        let passes = check(&arguments).expect("readable");
        let has_difference = arguments.differences.join("a.png").exists();
        std::fs::remove_dir_all(folder).expect("removable");
        (passes, has_difference)
    }

    #[test]
    fn pictures_pass_or_leave_a_picture_of_the_difference() {
        let white = RgbImage::from_pixel(32, 32, Rgb([255; 3]));
        assert_eq!(outcome("same", Some(RgbImage::new(32, 32))), (true, false));
        assert_eq!(outcome("white", Some(white)), (false, true));
        assert_eq!(outcome("size", Some(RgbImage::new(32, 31))), (false, false));
        assert_eq!(outcome("missing", None), (false, false));
    }

    #[test]
    fn a_folder_without_pictures_is_an_error() {
        let folder =
            std::env::temp_dir().join(format!("picture_check_none_{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("writable");
        assert!(matches!(names(&folder), Err(CheckError::Empty(_))));
        std::fs::remove_dir_all(&folder).expect("removable");
        assert!(matches!(names(&folder), Err(CheckError::Folder { .. })));
    }

    /// Coloured discs before stripes.
    fn picture() -> RgbImage {
        RgbImage::from_fn(320, 200, |x, y| {
            let discs = [(80, 90, 50, [220, 60, 40]), (200, 120, 60, [40, 160, 200])];
            let hit = discs.iter().find(|(centre_x, centre_y, radius, _)| {
                let (dx, dy) = (x.abs_diff(*centre_x), y.abs_diff(*centre_y));
                dx * dx + dy * dy < radius * radius
            });
            let stripe = if (x + y) / 16 % 2 == 0 { [240, 230, 210] } else { [200, 190, 180] };
            Rgb(hit.map_or(stripe, |(.., color)| *color))
        })
    }

    fn score(fresh: &RgbImage) -> f64 {
        compare(&picture(), fresh).expect("of one size").score
    }

    #[test]
    fn the_same_picture_scores_one_and_so_does_noise_nobody_sees() {
        assert!(score(&picture()) > 0.999);
        let mut noisy = picture();
        for (number, pixel) in noisy.pixels_mut().enumerate() {
            let noise = (number as u32).wrapping_mul(0x9e37_79b9) >> 30;
            pixel.0 = pixel.0.map(|level| level.saturating_add(noise as u8).saturating_sub(1));
        }
        assert!(noisy != picture());
        assert!(score(&noisy) > 0.999, "{}", score(&noisy));
    }

    #[test]
    fn what_is_shifted_recoloured_or_blurred_fails() {
        let picture = picture();
        let shifted = RgbImage::from_fn(320, 200, |x, y| *picture.get_pixel((x + 4).min(319), y));
        let recoloured = RgbImage::from_fn(320, 200, |x, y| {
            let [red, green, blue] = picture.get_pixel(x, y).0;
            Rgb([red, blue, green])
        });
        let darker = RgbImage::from_fn(320, 200, |x, y| {
            Rgb(picture.get_pixel(x, y).0.map(|level| level / 2))
        });
        let blurred = imageops::blur(&picture, 3.0);
        for (what, fresh) in [
            ("shifted", shifted),
            ("recoloured", recoloured),
            ("darker", darker),
            ("blurred", blurred),
        ] {
            assert!(score(&fresh) < 0.75, "{what}: {}", score(&fresh));
        }
    }

    #[test]
    fn something_small_that_is_missing_fails_and_is_shown_in_red() {
        let mut fresh = picture();
        for (x, y) in (0..24).flat_map(|x| (0..24).map(move |y| (x, y))) {
            fresh.put_pixel(280 + x, 20 + y, Rgb([20, 20, 20]));
        }
        let Comparison { score, difference } = compare(&picture(), &fresh).expect("of one size");
        assert!(score < 0.8, "{score}");
        let [red, green, _] = difference.get_pixel(290, 30).0;
        assert!(red > 150 && green < 50, "{red} {green}");
        let [red, green, blue] = difference.get_pixel(20, 180).0;
        assert!(red == green && green == blue);
    }

    #[test]
    fn sizes_must_agree() {
        assert!(compare(&picture(), &RgbImage::new(319, 200)).is_none());
    }
}
