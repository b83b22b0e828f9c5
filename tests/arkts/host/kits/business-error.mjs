/** What the system's own functions throw and reject with. */
export function businessError(code, message, data) {
  const error = new Error(message)
  error.code = code
  if (data !== undefined) error.data = data
  return error
}
