//! How many functions of a library have shadows: `LABRYS_SHADOW_DATABASE` names its compilation database, and
//! `LABRYS_SHADOW_COMPILED` how many of the texts are compiled (all by default).

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use labrys_program::{LibraryOptions, build_library};
use labrys_shadow::{ShadowError, lower};

#[test]
#[ignore = "takes minutes, and a library's sources"]
fn functions_of_a_library() {
    let Some(database) = std::env::var_os("LABRYS_SHADOW_DATABASE") else { return };
    let folder = std::env::temp_dir().join("labrys-shadow-library");
    std::fs::create_dir_all(&folder).unwrap();
    let mut options = LibraryOptions::new(Instant::now() + Duration::from_secs(1200));
    options.jobs = 2;
    let build = build_library(database.as_ref(), &options, &folder).unwrap();
    let compiled_at_most: usize =
        std::env::var("LABRYS_SHADOW_COMPILED").ok().and_then(|count| count.parse().ok()).unwrap_or(usize::MAX);
    let (mut all, mut lowered, mut refused) = (0, Vec::new(), BTreeMap::<String, usize>::new());
    for function in &build.functions {
        let (Ok(signature), Some(binding)) = (&function.signature, &function.binding) else { continue };
        if !function.is_public {
            continue;
        }
        all += 1;
        match lower(&build.program, function.function, binding, signature, None) {
            Ok(shadow) => lowered.push((function.name.clone(), shadow)),
            Err(ShadowError::Unsupported { reason, .. }) => *refused.entry(reason).or_default() += 1,
            Err(other) => panic!("{other}"),
        }
    }
    println!("{} of {all} functions have a text", lowered.len());
    let mut refused: Vec<(usize, String)> = refused.into_iter().map(|(reason, count)| (count, reason)).collect();
    refused.sort_by(|a, b| b.cmp(a));
    for (count, reason) in refused {
        println!("{count:6} {reason}");
    }
    let step = (lowered.len() / compiled_at_most.max(1)).max(1);
    let (mut compiled, mut tried, begun) = (0, 0, Instant::now());
    for (name, shadow) in lowered.iter().step_by(step) {
        tried += 1;
        match shadow.compile(&folder, &[], Instant::now() + Duration::from_secs(60)) {
            Ok(_) => compiled += 1,
            Err(error) => {
                let words = std::error::Error::source(&error).map(ToString::to_string).unwrap_or_default();
                let line = words.lines().find(|line| line.contains("error")).unwrap_or(&words).to_owned();
                println!("{name}: {line} ({} bytes)", shadow.text.len());
            }
        }
    }
    println!("{compiled} of {tried} compile, {:.2} s each", begun.elapsed().as_secs_f64() / f64::from(tried.max(1)));
}
