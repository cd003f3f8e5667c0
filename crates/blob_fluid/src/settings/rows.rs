//! Rows from the fields of a declaration, computed by the compiler.

use crate::settings::range::SettingRange;

/// A field, for the rows that follow from it.
pub(crate) enum Field {
    /// A number; its path is the field's name.
    Number(SettingRange),
    /// A field with rows of its own.
    Group(&'static str, &'static [SettingRange]),
}

/// Length of the texts of all paths that begin with the name of a group.
pub(crate) const fn paths_length(fields: &[Field]) -> usize {
    let (mut length, mut field) = (0, 0);
    while field < fields.len() {
        if let Field::Group(name, rows) = &fields[field] {
            let mut row = 0;
            while row < rows.len() {
                length += joined_length(name, rows[row].path);
                row += 1;
            }
        }
        field += 1;
    }
    length
}

/// The texts of all paths that begin with the name of a group, one after the other.
pub(crate) const fn paths<const LENGTH: usize>(fields: &[Field]) -> [u8; LENGTH] {
    let mut text = [b'.'; LENGTH];
    let (mut end, mut field) = (0, 0);
    while field < fields.len() {
        if let Field::Group(name, rows) = &fields[field] {
            let mut row = 0;
            while row < rows.len() {
                let path = rows[row].path;
                copy(&mut text, end, name);
                end += joined_length(name, path);
                copy(&mut text, end - path.len(), path);
                row += 1;
            }
        }
        field += 1;
    }
    text
}

const fn joined_length(name: &str, path: &str) -> usize {
    name.len() + path.len() + if path.is_empty() { 0 } else { 1 }
}

const fn copy(to: &mut [u8], begin: usize, text: &str) {
    let mut index = 0;
    while index < text.len() {
        to[begin + index] = text.as_bytes()[index];
        index += 1;
    }
}

/// Number of rows of these fields.
pub(crate) const fn count(fields: &[Field]) -> usize {
    let (mut count, mut field) = (0, 0);
    while field < fields.len() {
        count += match &fields[field] {
            Field::Number(_) => 1,
            Field::Group(_, rows) => rows.len(),
        };
        field += 1;
    }
    count
}

/// The rows of these fields, with the texts of [`paths`].
pub(crate) const fn rows<const COUNT: usize>(
    subject: &'static str,
    fields: &[Field],
    mut paths: &'static [u8],
) -> [SettingRange; COUNT] {
    let mut all = [SettingRange::ANY; COUNT];
    let (mut count, mut field) = (0, 0);
    while field < fields.len() {
        match &fields[field] {
            Field::Number(row) => {
                all[count] = SettingRange { subject, ..*row };
                count += 1;
            }
            Field::Group(name, rows) => {
                let mut row = 0;
                while row < rows.len() {
                    let (path, rest) = paths.split_at(joined_length(name, rows[row].path));
                    all[count] = SettingRange { subject, path: text(path), ..rows[row] };
                    paths = rest;
                    count += 1;
                    row += 1;
                }
            }
        }
        field += 1;
    }
    all
}

pub(crate) const fn text(bytes: &'static [u8]) -> &'static str {
    match str::from_utf8(bytes) {
        Ok(text) => text,
        Err(_) => panic!("a text was cut within a letter"),
    }
}

/// Length of the [`meaning`].
pub(crate) const fn meaning_length(documentation: &str) -> usize {
    let bytes = documentation.as_bytes();
    let (mut length, mut index) = (0, 0);
    while !ends(bytes, index) {
        if bytes[index] != b'\n' && index > 0 {
            length += 1;
        }
        index += 1;
    }
    assert!(bytes[index - 1] == b'.', "the first paragraph of a setting ends with a full stop");
    length - 1
}

/// The first paragraph of a documentation, in one line and without its full stop. Lines of the
/// documentation begin with a space and end with a line break.
pub(crate) const fn meaning<const LENGTH: usize>(documentation: &str) -> [u8; LENGTH] {
    let bytes = documentation.as_bytes();
    let mut text = [0; LENGTH];
    let (mut length, mut index) = (0, 1);
    while length < LENGTH {
        if bytes[index] != b'\n' {
            text[length] = bytes[index];
            length += 1;
        }
        index += 1;
    }
    text
}

/// Whether a paragraph ends at this place.
const fn ends(bytes: &[u8], index: usize) -> bool {
    let after = index + 1;
    bytes[index] == b'\n' && (after == bytes.len() || bytes[after] == b'\n')
}
