/** Splits a registry URL of the operator's settings into the bare URL and its credentials. */

import type { FindLogin, Login } from './netrc.ts'

export interface SplitAddress {
  /** Normalized, with a slash at the end. */
  readonly upstream: string
  readonly headers: Readonly<Record<string, string>>
}

/** Uses the username and password of the URL, or else those that `findLogin` returns. */
export function splitAddress(
  address: string,
  findLogin: FindLogin = () => undefined,
): SplitAddress {
  const url = new URL(address.endsWith('/') ? address : `${address}/`)
  const { username, password } = url
  url.username = ''
  url.password = ''
  const login =
    username === ''
      ? findLogin(url.hostname)
      : { name: decodeURIComponent(username), password: decodeURIComponent(password) }
  return { upstream: url.href, headers: login === undefined ? {} : toHeaders(login) }
}

function toHeaders({ name, password }: Login): Readonly<Record<string, string>> {
  return { authorization: `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}` }
}
