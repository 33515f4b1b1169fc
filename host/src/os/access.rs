//! Who may enter a folder on Windows, read from its security descriptor as text (SDDL). Looks nothing up by itself, so
//! that it can be tested on all systems.

/// Who may do anything anyway: the system, administrators; and names that stand for the owner.
const ANYWAY: [&str; 4] = ["SY", "BA", "CO", "OW"];

/// Whether a descriptor lets in nobody but `user`, who is written as a descriptor writes its owner, and those whom
/// nothing keeps out. What cannot be read lets in others.
pub(super) fn is_private(descriptor: &str, user: &str) -> bool {
    let Some(owner) = owner(descriptor) else { return false };
    if owner != user && !matches!(owner, "BA" | "SY") {
        return false;
    }
    // An absent list lets in everybody.
    let Some((_, list)) = descriptor.split_once("D:") else { return false };
    let Some(first) = list.find('(') else {
        // No entry: nobody. `NO_ACCESS_CONTROL` is the absent list by another name.
        return list.chars().all(|flag| matches!(flag, 'P' | 'A' | 'R' | 'I'));
    };
    let (flags, entries) = list.split_at(first);
    if !flags.chars().all(|flag| matches!(flag, 'P' | 'A' | 'R' | 'I')) {
        return false;
    }
    entries.split('(').skip(1).all(|entry| {
        let Some((entry, rest)) = entry.split_once(')') else { return false };
        let fields: Vec<&str> = entry.split(';').collect();
        match fields.as_slice() {
            // Whom it denies, it does not let in.
            ["D", ..] => rest.is_empty(),
            ["A", _, _, "", "", who] => rest.is_empty() && (*who == user || ANYWAY.contains(who)),
            _ => false,
        }
    })
}

/// The owner as the descriptor writes it.
pub(super) fn owner(descriptor: &str) -> Option<&str> {
    let rest = descriptor.strip_prefix("O:")?;
    let end = ["G:", "D:", "S:"].iter().filter_map(|part| rest.find(part)).min().unwrap_or(rest.len());
    rest.get(..end).filter(|owner| !owner.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    const ME: &str = "S-1-5-21-1-2-3-1001";

    #[test]
    fn a_folder_below_the_profile_is_private_and_one_at_the_root_of_a_drive_is_not() {
        let profile = format!("O:{ME}D:AI(A;OICIID;FA;;;SY)(A;OICIID;FA;;;BA)(A;OICIID;FA;;;{ME})");
        assert!(is_private(&profile, ME));
        assert!(!is_private(&profile, "S-1-5-21-1-2-3-1002"));
        let root = format!("O:{ME}D:AI(A;ID;FA;;;BA)(A;OICIIOID;GA;;;BA)(A;ID;0x1301bf;;;AU)");
        assert!(!is_private(&root, ME));
        assert!(is_private("O:BAD:P(A;OICI;FA;;;BA)(A;OICI;FA;;;SY)(A;OICI;FA;;;LA)", "LA"));
    }

    #[test]
    fn what_cannot_be_read_lets_in_others() {
        let own = format!("O:{ME}D:P(A;OICI;FA;;;{ME})");
        assert!(is_private(&own, ME));
        for open in [
            format!("O:{ME}"),
            format!("O:{ME}D:NO_ACCESS_CONTROL"),
            format!("O:S-1-5-21-9-9-9-9D:P(A;OICI;FA;;;{ME})"),
            format!("D:P(A;OICI;FA;;;{ME})"),
            format!("O:{ME}D:P(A;OICI;FA;;;WD)"),
            format!("O:{ME}D:P(XA;;FX;;;S-1-1-0;(@User.Title==\"PM\"))(A;OICI;FA;;;{ME})"),
            format!("O:{ME}D:P(A;OICI;FA;;;{ME}"),
            format!("O:{ME}D:P(OA;OICI;FA;;;{ME})"),
            String::new(),
        ] {
            assert!(!is_private(&open, ME), "{open}");
        }
        assert!(
            is_private(&format!("O:{ME}D:P(D;OICI;FA;;;WD)(A;;FA;;;{ME})"), ME),
            "a denial lets in nobody"
        );
        assert!(is_private(&format!("O:{ME}D:P"), ME));
    }
}
