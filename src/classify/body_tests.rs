use super::body::{Place, ProviderError};

#[test]
fn each_code_is_kept_once_and_sixteen_at_most_and_those_of_success_are_not() {
    let mut error = ProviderError::default();
    ["ok", " 0 ", "Success", "c0", " c0"].into_iter().for_each(|text| error.push(Place::Code, text));
    assert_eq!(error.codes.len(), 1);
    (0..20).for_each(|number| error.push(Place::Detail, &format!("c{number}")));
    assert_eq!(error.codes.len(), 16);
}

#[test]
fn the_first_code_that_is_a_status_is_the_status() {
    let mut error = ProviderError::default();
    error.push(Place::Detail, "429");
    assert_eq!(error.status, None, "a detail is none");
    error.push(Place::Code, "odd");
    error.push(Place::Code, "503");
    error.push(Place::Code, "400");
    assert_eq!(error.status, Some(503));
}
