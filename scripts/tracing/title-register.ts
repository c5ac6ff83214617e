export type TestTitle = { readonly title: string; readonly file: string }

/** What the stand-in for `node:test` has seen. Shared by module identity, so it is the one place with state. */
class TitleRegister {
  readonly titles: TestTitle[] = []
  #file = ''
  #suites: unknown[] = []

  begin(file: string): void {
    this.#file = file
  }

  addTitle(title: string): void {
    this.titles.push({ title, file: this.#file })
  }

  addSuite(result: unknown): void {
    this.#suites.push(result)
  }

  /** A suite with an asynchronous body may register tests after its first wait. */
  async settle(): Promise<void> {
    while (this.#suites.length > 0) await Promise.all(this.#suites.splice(0))
  }
}

export const register: TitleRegister = new TitleRegister()
