/** The address of a registry as the operator wrote it: where it is, and what it is opened with. */

export interface SplitAddress {
  /** With a slash at the end, and spelled as URLs are when they are compared. */
  readonly upstream: string
  readonly headers: Readonly<Record<string, string>>
}

/** A name and a password in an address are credentials. */
export function splitAddress(address: string): SplitAddress {
  const url = new URL(address.endsWith('/') ? address : `${address}/`)
  const { username, password } = url
  url.username = ''
  url.password = ''
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  const authorization = `Basic ${Buffer.from(pair).toString('base64')}`
  return { upstream: url.href, headers: username === '' ? {} : { authorization } }
}
