/** What the app does not do, said to whoever asked: its code and its message reach the page. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError'
  readonly code: string
  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}
