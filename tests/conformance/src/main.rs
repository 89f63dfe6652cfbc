//! `conformance FILE… [--area A,B] [--show N] [--id ID] [--device NAME]`: replays recordings, on the host or a
//! device, and prints the score; a FILE may be a folder.
//! `conformance files DIR` replays a corpus of files of tensors. The exit status is 0 only when every case passes. Without `--area` all areas must be there.

use std::path::PathBuf;
use std::process::ExitCode;

use conformance::case::{cases, recordings};
use conformance::files;
use conformance::report::{AREAS, Report};
use latten::Device;

const USAGE: &str = "usage: conformance FILE… [--area A,B] [--show N] [--id ID] [--device NAME]";

struct Options {
    files: Vec<PathBuf>,
    areas: Option<Vec<String>>,
    show: usize,
    id: Option<String>,
    device: Device,
}

fn main() -> ExitCode {
    if let Some(code) = files_command() {
        return code;
    }
    let options = match options(std::env::args().skip(1)) {
        Ok(options) => options,
        Err(why) => {
            eprintln!("{why}\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    match replay(&options) {
        Ok(report) => {
            print!("{}{}", report.failures(), report.summary());
            if report.is_perfect() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Err(why) => {
            eprintln!("{why}");
            ExitCode::from(2)
        }
    }
}

/// The command about files of tensors, if the first word says so.
fn files_command() -> Option<ExitCode> {
    let mut words = std::env::args().skip(1);
    let answer = match words.next()?.as_str() {
        "files" => files::replay(words),
        files::WORKER => files::work(words).map(|()| true),
        _ => return None,
    };
    Some(match answer {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(why) => {
            eprintln!("{why}");
            ExitCode::from(2)
        }
    })
}

fn options(mut words: impl Iterator<Item = String>) -> Result<Options, String> {
    let mut options = Options { files: Vec::new(), areas: None, show: 0, id: None, device: Device::CPU };
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or_else(|| format!("{word} needs a value"));
        match word.as_str() {
            "--area" => options.areas = Some(value()?.split(',').map(str::to_owned).collect()),
            "--show" => options.show = value()?.parse().map_err(|_| "--show needs a number".to_owned())?,
            "--device" => options.device = Device::parse(&value()?).map_err(|error| error.to_string())?,
            "--id" => options.id = Some(value()?),
            _ if word.starts_with('-') => return Err(format!("no option {word}")),
            _ => options.files.push(word.into()),
        }
    }
    if options.id.is_some() && options.show == 0 {
        options.show = usize::MAX;
    }
    if options.files.is_empty() { Err("no FILE".to_owned()) } else { Ok(options) }
}

fn replay(options: &Options) -> Result<Report, String> {
    let mut report = Report::on(options.device, options.show);
    for path in &options.files {
        let fault = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
        for file in recordings(path).map_err(|error| fault(&error))? {
            for (line, case) in cases(&file).map_err(|error| fault(&error))?.enumerate() {
                let case = match case {
                    Ok(case) => case,
                    Err(error) => {
                        report.add_unreadable("unreadable", &format!("{}:{}: {error}", file.display(), line + 1));
                        continue;
                    }
                };
                let wanted = options.areas.as_ref().is_none_or(|areas| areas.contains(&case.area));
                if wanted && options.id.as_ref().is_none_or(|id| *id == case.id) {
                    report.add(&case);
                }
            }
        }
    }
    if options.id.is_none() {
        let wanted: Vec<&str> = options.areas.as_ref().map_or(AREAS.to_vec(), |areas| areas.iter().map(String::as_str).collect());
        report.add_missing(&wanted);
    }
    Ok(report)
}
