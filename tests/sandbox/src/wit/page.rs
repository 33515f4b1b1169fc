//! The world as a page for people: its own comments, item by item.

/// The page for this WIT text.
pub(super) fn page(wit: &str) -> String {
    let mut page = String::from(
        "# What a policy module and Bouncer say to each other\n\n\
         <!-- Generated from wit/policy.wit by scripts/refresh-wit: change that file. -->\n\n\
         For other languages than Rust, and for readers of the host. A module in Rust is written with `bouncer-guest`\n\
         ([write-a-policy.md](write-a-policy.md)), which says the same in Rust's words.\n",
    );
    let mut said: Vec<&str> = Vec::new();
    let mut item: Option<Item> = None;
    for line in wit.lines().map(str::trim) {
        if let Some(comment) = line.strip_prefix("///") {
            said.push(comment.trim());
        } else if line == "}" {
            if let Some(done) = item.take() {
                page.push_str(&done.rows);
            }
        } else if !line.is_empty() {
            let comment = std::mem::take(&mut said);
            match (&mut item, Head::of(line)) {
                (_, Head::Group(title)) => section(&mut page, "##", &title, &comment),
                (_, Head::Item(title)) => {
                    section(&mut page, "###", &title, &comment);
                    item = Some(Item { rows: "\n| | | |\n| --- | --- | --- |\n".into() });
                }
                (_, Head::Function(title, signature)) => {
                    section(&mut page, "###", &title, &comment);
                    page.push_str(&format!("\n```wit\n{signature}\n```\n"));
                }
                (Some(item), Head::Member(name, kind)) => {
                    let kind = if kind.is_empty() { kind } else { format!("`{kind}`") };
                    item.rows.push_str(&format!("| `{name}` | {kind} | {} |\n", comment.join(" ")));
                }
                (None, Head::Member(..)) => {}
            }
        }
    }
    page
}

struct Item {
    rows: String,
}

fn section(page: &mut String, level: &str, title: &str, comment: &[&str]) {
    page.push_str(&format!("\n{level} {title}\n"));
    let mut paragraph = String::new();
    for line in comment.iter().chain([&""]) {
        if line.is_empty() && !paragraph.is_empty() {
            page.push_str(&format!("\n{}\n", paragraph.trim_end()));
            paragraph.clear();
        } else {
            paragraph.push_str(line);
            paragraph.push('\n');
        }
    }
}

/// What a line begins.
enum Head {
    Group(String),
    Item(String),
    Function(String, String),
    Member(String, String),
}

impl Head {
    fn of(line: &str) -> Self {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            ["package", name] => Self::Group(format!("Package `{}`", name.trim_end_matches(';'))),
            [group @ ("interface" | "world"), name, "{"] => {
                Self::Group(format!("{} `{name}`", capital(group)))
            }
            [item @ ("enum" | "record" | "variant" | "flags"), name, "{"] => {
                Self::Item(format!("{} `{name}`", capital(item)))
            }
            _ if line.contains(": func(") => {
                let name = line.split(':').next().unwrap_or_default();
                Self::Function(format!("Function `{name}`"), line.trim_end_matches(';').to_owned())
            }
            _ => {
                let line = line.trim_end_matches([',', ';']);
                let (name, kind) = line.split_once(": ").unwrap_or((line, ""));
                Self::Member(name.to_owned(), kind.to_owned())
            }
        }
    }
}

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}
