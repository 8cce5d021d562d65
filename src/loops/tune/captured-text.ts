/** A text file as it was when it was read. */

export interface CapturedText {
  readonly path: string
  readonly text: string
}
