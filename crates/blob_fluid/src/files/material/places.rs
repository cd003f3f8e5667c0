//! Finds the line and column of a field in RON text.

/// Line and column, from 1, of the field with a path such as `class.thermal.cooling` or
/// `pairs.0.cohesion`. If the field is not in the text, this is the nearest field around it; 1:1 if
/// there is none.
pub(super) fn location_of(text: &str, path: &str) -> (usize, usize) {
    let fields = fields(text);
    let mut path = path;
    loop {
        if let Some((_, location)) = fields.iter().find(|(found, _)| found == path) {
            return *location;
        }
        match path.rsplit_once('.') {
            Some((around, _)) => path = around,
            None => return (1, 1),
        }
    }
}

/// Line and column, from 1, of a byte. All bytes before it must be valid text.
pub(super) fn location_at(bytes: &[u8], at: usize) -> (usize, usize) {
    let before = String::from_utf8_lossy(&bytes[..at]);
    let line_start = before.rfind('\n').map_or(0, |end| end + 1);
    (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
}

/// A bracket that is open at the current position.
#[derive(Default)]
struct Bracket {
    is_list: bool,
    index: usize,
    key: Option<String>,
}

/// Path and position of every field, in the order of the text.
fn fields(text: &str) -> Vec<(String, (usize, usize))> {
    let mut found = Vec::new();
    let mut brackets: Vec<Bracket> = Vec::new();
    let mut characters = text.char_indices().peekable();
    let (mut line, mut line_start) = (1, 0);
    while let Some((at, character)) = characters.next() {
        match character {
            '\n' => (line, line_start) = (line + 1, at + 1),
            '"' => {
                while let Some((at, inside)) = characters.next() {
                    match inside {
                        '\\' => drop(characters.next()),
                        '\n' => (line, line_start) = (line + 1, at + 1),
                        '"' => break,
                        _ => {}
                    }
                }
            }
            '/' if text[at..].starts_with("//") => {
                while characters.next_if(|(_, next)| *next != '\n').is_some() {}
            }
            '/' if text[at..].starts_with("/*") => {
                let end = text[at..].find("*/").map_or(text.len(), |length| at + length + 2);
                while let Some((at, inside)) = characters.next_if(|(at, _)| *at < end) {
                    if inside == '\n' {
                        (line, line_start) = (line + 1, at + 1);
                    }
                }
            }
            '(' | '{' => brackets.push(Bracket::default()),
            '[' => brackets.push(Bracket { is_list: true, ..Bracket::default() }),
            ')' | '}' | ']' => drop(brackets.pop()),
            ',' => {
                if let Some(bracket) = brackets.last_mut() {
                    bracket.index += 1;
                    bracket.key = None;
                }
            }
            _ if character.is_alphabetic() || character == '_' => {
                let mut end = at + character.len_utf8();
                while let Some((next, inside)) =
                    characters.next_if(|(_, next)| next.is_alphanumeric() || *next == '_')
                {
                    end = next + inside.len_utf8();
                }
                if text[end..].trim_start().starts_with(':')
                    && let Some(bracket) = brackets.last_mut()
                {
                    bracket.key = Some(text[at..end].to_owned());
                    let column = text[line_start..at].chars().count() + 1;
                    found.push((path(&brackets), (line, column)));
                }
            }
            _ => {}
        }
    }
    found
}

fn path(brackets: &[Bracket]) -> String {
    let parts = brackets.iter().filter_map(|bracket| {
        if bracket.is_list { Some(bracket.index.to_string()) } else { bracket.key.clone() }
    });
    parts.collect::<Vec<_>>().join(".")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_found_past_strings_comments_and_lists() {
        let text = "(\n  a: \"b: (\\\" c:\", // d: 1\n  /* e:\n */ f: Some((g: [1, (h: 2)])),\n)";
        let found: Vec<_> = fields(text).into_iter().map(|(path, _)| path).collect();
        assert_eq!(found, ["a", "f", "f.g", "f.g.1.h"]);
        assert_eq!(location_of(text, "f.g.1.h"), (4, 22));
        assert_eq!(location_of(text, "f.g.1.missing"), (4, 14));
        assert_eq!(location_of(text, "nowhere"), (1, 1));
    }
}
