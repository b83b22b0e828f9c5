//! Strings.

use std::ptr;

use napi_ohos::sys;

use super::{Scope, Value};

impl Scope {
    pub fn string(self, text: &str) -> Value {
        // SAFETY: pointer and length describe `text`, which the engine copies.
        self.make(|result| unsafe {
            sys::napi_create_string_utf8(self.env, text.as_ptr().cast(), text.len() as isize, result)
        })
    }

    /// The string, if it is one. Lone surrogates become U+FFFD.
    pub fn as_string(self, value: Value) -> Option<String> {
        // Most strings fit: one call instead of asking for the length first.
        let mut buffer = [0_u8; 256];
        let mut length = 0;
        // SAFETY: the engine writes at most the given size, the NUL included.
        let status = unsafe {
            sys::napi_get_value_string_utf8(self.env, value, buffer.as_mut_ptr().cast(), buffer.len(), &mut length)
        };
        if status != sys::Status::napi_ok {
            return None;
        }
        // A full buffer may have been cut; a character of up to four bytes may have been left out.
        if length < buffer.len() - 4 {
            return Some(text_of(buffer[..length].to_vec()));
        }
        // SAFETY: no buffer: only the length is asked for.
        unsafe { sys::napi_get_value_string_utf8(self.env, value, ptr::null_mut(), 0, &mut length) };
        let mut bytes = vec![0_u8; length + 1];
        // SAFETY: as above.
        unsafe {
            sys::napi_get_value_string_utf8(self.env, value, bytes.as_mut_ptr().cast(), bytes.len(), &mut length);
        }
        bytes.truncate(length);
        Some(text_of(bytes))
    }

    /// The start of the string, at most `max_bytes`, ending on a character boundary. No more than that is read.
    pub fn start_of_string(self, value: Value, max_bytes: usize) -> Option<String> {
        // A code unit takes three bytes at the most.
        let most = max_bytes.min(3 * self.string_length(value)?);
        if most == 0 {
            return Some(String::new());
        }
        let (mut bytes, mut length) = (vec![0_u8; most + 1], 0);
        // SAFETY: the engine writes at most the given size, the NUL included.
        unsafe {
            sys::napi_get_value_string_utf8(self.env, value, bytes.as_mut_ptr().cast(), bytes.len(), &mut length);
        }
        bytes.truncate(length);
        // Not every engine leaves a character out that has no room.
        if let Err(error) = std::str::from_utf8(&bytes)
            && error.error_len().is_none()
        {
            bytes.truncate(error.valid_up_to());
        }
        Some(text_of(bytes))
    }

    /// Length of a string in code units; `None` for anything else.
    pub fn string_length(self, value: Value) -> Option<usize> {
        let mut length = 0;
        // SAFETY: a live value; no buffer: only the length is asked for.
        let status = unsafe { sys::napi_get_value_string_utf16(self.env, value, ptr::null_mut(), 0, &mut length) };
        (status == sys::Status::napi_ok).then_some(length)
    }

    /// The code units of a string, as they are: lone surrogates stay.
    pub fn as_utf16(self, value: Value) -> Vec<u16> {
        let mut length = self.string_length(value).unwrap_or(0);
        let mut units = vec![0_u16; length + 1];
        // SAFETY: the engine writes at most the given size, the NUL included.
        unsafe { sys::napi_get_value_string_utf16(self.env, value, units.as_mut_ptr(), units.len(), &mut length) };
        units.truncate(length);
        units
    }

    pub fn utf16(self, units: &[u16]) -> Value {
        // SAFETY: pointer and length describe `units`, which the engine copies.
        self.make(|result| unsafe {
            sys::napi_create_string_utf16(self.env, units.as_ptr(), units.len() as isize, result)
        })
    }
}

fn text_of(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}
