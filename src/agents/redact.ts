/** Masks secrets in whatever is shown or stored. */

/** Shorter ones would mask ordinary words. */
const charsMin = 6

export type Redact = (text: string) => string

export function createRedact(secrets: readonly string[]): Redact {
  const known = secrets
    .filter((secret) => secret.length >= charsMin)
    // Longest first, since one may be the start of another.
    .toSorted((a, b) => b.length - a.length)
  return (text) => known.reduce((left, secret) => left.replaceAll(secret, '[secret]'), text)
}

/** Names of variables whose values are probably secret. */
export const isSecretName = (name: string): boolean =>
  /key|token|secret|password|passwd|credential|auth/i.test(name)
