/** A public repository that the proof certifies and has a fault fixed in. Data; nothing of it is kept here. */

export interface Repository {
  /** `owner/name`, as GitHub spells it. */
  readonly name: string
  readonly commit: string
  /** The package manager; `npm, no lockfile` where the repository has none. */
  readonly manager: string
  readonly runner: string
  /** What its contributors run. */
  readonly check: string
  /** Why the check is not all of the project's own test command. */
  readonly reduced?: string
  /** What a developer does once in a new clone. Absent: nothing beyond what a certification installs. */
  readonly prepare?: readonly (readonly string[])[]
  /** Packages of npm that have the manager, for the bare check on machines without it. */
  readonly tools?: readonly string[]
  /** What a developer would install for the bare check, where certification installs on its own. */
  readonly install?: readonly (readonly string[])[]
  /** Planted: `good` is replaced by `bad`, and the check fails. */
  readonly fault: { readonly file: string; readonly good: string; readonly bad: string }
  /** What an honest fix brings along: a new file of tests, and a line at the end of a document. */
  readonly test: { readonly file: string; readonly text: string }
  readonly docs: { readonly file: string; readonly line: string }
}
