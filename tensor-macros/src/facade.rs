//! How macros name the crate that their user has: `::latten`, or what the user's manifest calls it. All paths of expansions begin here.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote_spanned;

/// The package that users depend on.
const PACKAGE: &str = "latten";

/// Names by manifest folder: a compiler that stays alive, as an editor's does, sees more than one.
static KNOWN: Mutex<Option<HashMap<PathBuf, String>>> = Mutex::new(None);

/// The path of the facade, from anywhere in the user's crate.
pub(crate) fn facade() -> TokenStream {
    facade_at(Span::call_site())
}

/// The same, for what the user has written there: so that the compiler points at it.
pub(crate) fn facade_at(span: Span) -> TokenStream {
    let name = Ident::new(&name(), span);
    quote_spanned!(span => ::#name)
}

fn name() -> String {
    let Some(folder) = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from) else { return PACKAGE.into() };
    let Ok(mut known) = KNOWN.lock() else { return PACKAGE.into() };
    known.get_or_insert_default().entry(folder).or_insert_with_key(|folder| name_in(folder)).clone()
}

fn name_in(folder: &Path) -> String {
    let read = |folder: &Path| std::fs::read_to_string(folder.join("Cargo.toml")).ok();
    let own = read(folder).map(|text| dependencies(&text)).unwrap_or_default();
    let workspace =
        || folder.ancestors().filter_map(read).find(|text| text.lines().any(|line| line.trim_start().starts_with("[workspace")));
    chosen(&own, workspace)
}

/// The name of the package among a manifest's dependencies; those that the workspace describes are looked up there.
fn chosen(own: &[Dependency], workspace: impl Fn() -> Option<String>) -> String {
    let is_ours = |dependency: &&Dependency| dependency.package.as_deref().unwrap_or(&dependency.name) == PACKAGE;
    if let Some(direct) = own.iter().find(|dependency| !dependency.inherited && is_ours(dependency)) {
        return direct.name.replace('-', "_");
    }
    let shared = if own.iter().any(|dependency| dependency.inherited) { workspace() } else { None };
    let shared = shared.map(|text| dependencies(&text)).unwrap_or_default();
    let inherited = |name: &str| own.iter().any(|dependency| dependency.inherited && dependency.name == name);
    let found = shared.iter().filter(is_ours).find(|dependency| inherited(&dependency.name));
    found.map_or_else(|| PACKAGE.into(), |dependency| dependency.name.replace('-', "_"))
}

/// A dependency as a manifest names it.
#[derive(Debug, PartialEq)]
struct Dependency {
    name: String,
    /// The package, where it has another name.
    package: Option<String>,
    /// Whether the workspace describes it.
    inherited: bool,
}

/// The dependencies of a manifest, of whatever kind. TOML keeps each on one line, or gives it a section.
fn dependencies(manifest: &str) -> Vec<Dependency> {
    let mut found: Vec<Dependency> = Vec::new();
    let mut section: Vec<String> = Vec::new();
    for line in manifest.lines().map(str::trim) {
        if let Some(header) = line.strip_prefix('[') {
            section = header.split(']').next().unwrap_or_default().split('.').map(unquoted).collect();
            continue;
        }
        let Some((key, value)) = line.split_once('=') else { continue };
        let mut keys: Vec<String> = key.split('.').map(unquoted).collect();
        let (name, rest) = match section.iter().rposition(|part| part.ends_with("dependencies")) {
            Some(at) if at + 1 == section.len() => (keys.remove(0), keys),
            Some(at) if at + 2 == section.len() => (section[at + 1].clone(), keys),
            _ => continue,
        };
        let at = found.iter().position(|dependency| dependency.name == name).unwrap_or_else(|| {
            found.push(Dependency { name, package: None, inherited: false });
            found.len() - 1
        });
        let entry = &mut found[at];
        match rest.first().map(String::as_str) {
            Some("package") => entry.package = quoted(value),
            Some("workspace") => entry.inherited = true,
            Some(_) => {}
            None => {
                entry.package = entry.package.take().or_else(|| field(value, "package").and_then(quoted));
                entry.inherited |= field(value, "workspace").is_some_and(|value| value.trim_start().starts_with("true"));
            }
        }
    }
    found
}

fn unquoted(text: &str) -> String {
    text.trim().trim_matches(['"', '\'']).into()
}

/// What stands after `name =` in an inline table.
fn field<'a>(table: &'a str, name: &str) -> Option<&'a str> {
    let inside = table.trim_start().strip_prefix('{')?;
    let starts = inside.match_indices(name).map(|(at, _)| at);
    let mut values = starts.filter(|&at| inside[..at].trim_end().ends_with(',') || inside[..at].trim().is_empty());
    values.find_map(|at| inside[at + name.len()..].trim_start().strip_prefix('='))
}

/// The text between the first two quotes.
fn quoted(value: &str) -> Option<String> {
    value.split(['"', '\'']).nth(1).map(Into::into)
}

#[cfg(test)]
mod tests {
    use super::{chosen, dependencies};

    /// What a manifest calls the package, in that workspace.
    fn name(manifest: &str, workspace: &str) -> String {
        chosen(&dependencies(manifest), || Some(workspace.into()))
    }

    #[test]
    fn manifests_name_the_package() {
        let cases = [
            ("[dependencies]\nlatten = \"0.1\"", "", "latten"),
            ("[dependencies]\nlt = { version = \"0.1\", package = \"latten\", features = [\"cuda\"] }", "", "lt"),
            ("[dependencies]\nmy-tensors = { package = \"latten\" }", "", "my_tensors"),
            ("[dependencies.lt]\nversion = \"0.1\"\npackage = 'latten'", "", "lt"),
            ("[dependencies]\nlt.package = \"latten\"\nlt.version = \"0.1\"", "", "lt"),
            ("[target.'cfg(unix)'.dev-dependencies]\nlt = {package=\"latten\"}", "", "lt"),
            ("[dependencies]\nlt.workspace = true", "[workspace.dependencies]\nlt = { package = \"latten\" }", "lt"),
            ("[dependencies]\nlatten = { workspace = true }", "[workspace.dependencies]\nlatten = { path = \".\" }", "latten"),
            ("[dependencies]\nlatten = { package = \"other\" }\nlt = { package = \"latten\" }", "", "lt"),
            ("[package]\nname = \"latten\"\n[dependencies]\nhalf = \"2\"", "", "latten"),
            ("[features]\nlt = [\"latten\"]", "", "latten"),
        ];
        let wrong: Vec<_> = cases.iter().filter(|(own, shared, expected)| name(own, shared) != *expected).collect();
        assert!(wrong.is_empty(), "{wrong:#?}");
    }
}
