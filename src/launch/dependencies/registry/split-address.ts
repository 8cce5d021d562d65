/** The address of a registry as the operator wrote it: where it is, and what it is opened with. */

import type { FindLogin, Login } from './netrc.ts'

export interface SplitAddress {
  /** With a slash at the end, and spelled as URLs are when they are compared. */
  readonly upstream: string
  readonly headers: Readonly<Record<string, string>>
}

/** A name and a password in an address are credentials; `findLogin` is asked where there are none. */
export function splitAddress(
  address: string,
  findLogin: FindLogin = () => undefined,
): SplitAddress {
  const url = new URL(address.endsWith('/') ? address : `${address}/`)
  const { username, password } = url
  url.username = ''
  url.password = ''
  const named =
    username === ''
      ? findLogin(url.hostname)
      : { name: decodeURIComponent(username), password: decodeURIComponent(password) }
  return { upstream: url.href, headers: named === undefined ? {} : toHeaders(named) }
}

function toHeaders({ name, password }: Login): Readonly<Record<string, string>> {
  return { authorization: `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}` }
}
