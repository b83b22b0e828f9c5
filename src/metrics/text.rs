use std::fmt::Write;

/// Writes the exposition format. A family without samples leaves nothing.
#[derive(Default)]
pub(super) struct Text {
    text: String,
    family: &'static str,
    /// Head of the family, until its first sample.
    head: Option<(&'static str, &'static str)>,
}

impl Text {
    pub fn family(&mut self, name: &'static str, kind: &'static str, help: &'static str) {
        (self.family, self.head) = (name, Some((kind, help)));
    }

    pub fn sample(&mut self, labels: &[(&str, &str)], value: f64) {
        let family = self.family;
        if let Some((kind, help)) = self.head.take() {
            // Writing to a String never fails.
            let _ = write!(self.text, "# HELP {family} {help}\n# TYPE {family} {kind}\n");
        }
        self.text.push_str(family);
        for (index, (label, value)) in labels.iter().enumerate() {
            self.text.push(if index == 0 { '{' } else { ',' });
            self.text.push_str(label);
            self.text.push_str("=\"");
            escape(value, &mut self.text);
            self.text.push('"');
        }
        let _ = if value.is_infinite() { writeln!(self.text, "}} +Inf") } else { writeln!(self.text, "}} {value}") };
    }

    pub fn finish(self) -> String {
        self.text
    }
}

/// As label values are escaped: backslash, quote and line feed.
fn escape(value: &str, text: &mut String) {
    for character in value.chars() {
        match character {
            '\\' => text.push_str("\\\\"),
            '"' => text.push_str("\\\""),
            '\n' => text.push_str("\\n"),
            other => text.push(other),
        }
    }
}
