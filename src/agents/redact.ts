/** Takes secrets out of whatever is shown or kept. */

/** Shorter ones would take ordinary words out of texts. */
const charsMin = 6

export type Redact = (text: string) => string

export function createRedact(secrets: readonly string[]): Redact {
  const known = secrets
    .filter((secret) => secret.length >= charsMin)
    // One may be the beginning of another.
    .toSorted((a, b) => b.length - a.length)
  return (text) => known.reduce((left, secret) => left.replaceAll(secret, '[secret]'), text)
}

/** Names of variables whose values are nobody's business. */
export const isSecretName = (name: string): boolean =>
  /key|token|secret|password|passwd|credential|auth/i.test(name)
