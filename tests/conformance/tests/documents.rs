//! docs/differences.md is the list of deliberate differences. `UPDATE_GOLDEN=1` writes it.

use std::path::Path;

#[test]
fn the_page_of_differences_is_the_list() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/differences.md");
    let page = conformance::differences::page();
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, &page).expect("the page can be written");
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(written == page, "{} is not what the list says; UPDATE_GOLDEN=1 writes it:\n{page}", path.display());
}
