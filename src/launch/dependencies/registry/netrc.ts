/** Reads the operator's `~/.netrc`, from which go, pip and uv take logins. */

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Env } from './go-routes.ts'

export interface Login {
  readonly name: string
  readonly password: string
}

/** `host` has no port. */
export type FindLogin = (host: string) => Login | undefined

export function readNetrc(env: Env, home: string): FindLogin {
  const file = env['NETRC'] ?? join(home, '.netrc')
  const logins = parseNetrc(existsSync(file) ? readFileSync(file, 'utf8') : '')
  return (host) => logins.get(host) ?? logins.get('')
}

/** The login of `default` has an empty host. The first entry of a host wins. */
export function parseNetrc(text: string): ReadonlyMap<string, Login> {
  const logins = new Map<string, Login>()
  // A macro ends at the next empty line.
  const words = text.replaceAll(/^macdef[^]*?(?:\n\s*\n|$(?![^]))/gm, '').split(/\s+/)
  let host: string | undefined
  let entry: Login = { name: '', password: '' }
  const addEntry = (): void => {
    if (host !== undefined && entry.name !== '' && !logins.has(host)) logins.set(host, entry)
  }
  for (let index = 0; index < words.length; index++) {
    const word = words[index]
    if (word === 'machine' || word === 'default') {
      addEntry()
      host = word === 'default' ? '' : words[++index]
      entry = { name: '', password: '' }
    } else if (word === 'login') entry = { ...entry, name: words[++index] ?? '' }
    else if (word === 'password') entry = { ...entry, password: words[++index] ?? '' }
    else if (word === 'account') index++
  }
  addEntry()
  return logins
}
