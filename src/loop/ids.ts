/** Ids. Branded, so that one kind of id cannot be passed as another. */

declare const brand: unique symbol
type Branded<Name extends string> = string & { readonly [brand]: Name }

/** UUIDv7. */
export type RunId = Branded<'RunId'>
/** SHA-256 of content, in hex. */
export type BlobId = Branded<'BlobId'>
/** Hash of all files in a workspace. */
export type TreeId = Branded<'TreeId'>
/** SHA-256 of a certificate as it was signed, in hex. */
export type CertificateId = Branded<'CertificateId'>
/** A step inside one iteration: branch path, name and occurrence, for example `0.left/test#2`. */
export type StepId = Branded<'StepId'>
/** One reservation of budget inside a run. */
export type ReservationId = Branded<'ReservationId'>

export const stepId = (path: string, name: string, occurrence: number): StepId =>
  `${path}${name}#${occurrence}` as StepId
