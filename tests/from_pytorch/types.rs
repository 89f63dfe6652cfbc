//! The names of types, as programs write them.

/// The parts of a list of types, at its commas.
fn parts(list: &str) -> Vec<&str> {
    let (mut found, mut depth, mut from) = (Vec::new(), 0, 0);
    for (at, character) in list.char_indices() {
        depth += i32::from("([<".contains(character)) - i32::from(")]>".contains(character));
        if character == ',' && depth == 0 {
            found.push(list[from..at].trim());
            from = at + 1;
        }
    }
    found.push(list[from..].trim());
    found.into_iter().filter(|part| !part.is_empty()).collect()
}

/// A shape as programs write it.
fn shape(name: &str) -> String {
    let Some(sizes) = name.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) else { return name.replace("AnyShape", "Any") };
    let sizes = parts(sizes);
    if !sizes.is_empty() && sizes.iter().all(|size| *size == "Dyn") {
        return format!("Rank<{}>", sizes.len());
    }
    let size = |size: &&str| match *size {
        "One" => "1".to_owned(),
        "Dyn" => "_".to_owned(),
        known => known.trim_start_matches("D<").trim_end_matches('>').to_owned(),
    };
    format!("shape![{}]", sizes.iter().map(size).collect::<Vec<_>>().join(", "))
}

/// A type as programs write it.
pub(super) fn written(name: &str) -> String {
    if let Some(inner) = name.strip_prefix("Tensor<").and_then(|rest| rest.strip_suffix('>'))
        && let [element, of] = parts(inner)[..]
    {
        let of = shape(of);
        return if (element, &*of) == ("Any", "Any") { "DynTensor".to_owned() } else { format!("Tensor<{}, {of}>", written(element)) };
    }
    let each = |list: &str| parts(list).into_iter().map(written).collect::<Vec<_>>().join(", ");
    match (name.split_once('<'), name.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'))) {
        (_, Some(list)) if parts(list).len() != 1 => format!("({})", each(list)),
        (Some((outer, rest)), _) if !outer.is_empty() && rest.ends_with('>') => format!("{outer}<{}>", each(&rest[..rest.len() - 1])),
        _ => name.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).map_or_else(
            || name.to_owned(),
            |list| match list.rsplit_once("; ") {
                Some((element, count)) => format!("[{}; {count}]", written(element)),
                None => format!("[{}]", written(list)),
            },
        ),
    }
}

/// The name of a type without the paths of names.
pub(super) fn without_paths(name: &str) -> String {
    let mut found = String::new();
    for part in name.split_inclusive(|c: char| !c.is_alphanumeric() && c != '_' && c != ':') {
        let end = part.trim_end_matches(|c: char| !c.is_alphanumeric() && c != '_').len();
        let (path, rest) = part.split_at(end);
        found.push_str(path.rsplit("::").next().unwrap_or(path));
        found.push_str(rest);
    }
    found
}
