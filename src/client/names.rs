use crate::error::InvalidConfig;

const MAX_NAME: usize = 100;

/// Names of services that can be told apart. `list` is what errors call the list of them.
pub(crate) fn check_names<'a>(
    list: &'static str,
    most: usize,
    names: impl ExactSizeIterator<Item = &'a str> + Clone,
) -> Result<(), InvalidConfig> {
    if names.len() == 0 || names.len() > most {
        return Err(InvalidConfig::new(list, names.len(), format!("1 to {most} of them")));
    }
    for (index, name) in names.clone().enumerate() {
        let given = format_args!("'{name}' (number {} of the {list})", index + 1);
        if name.is_empty() || name.len() > MAX_NAME {
            return Err(InvalidConfig::new("name", given, format!("1 to {MAX_NAME} bytes")));
        }
        if names.clone().take(index).any(|earlier| earlier == name) {
            return Err(InvalidConfig::new("name", given, "a name that none before it has"));
        }
    }
    Ok(())
}
