/** Where this daemon may listen, and the names by which it, and nothing else, is asked. */

import { isIPv4 } from 'node:net'
import { LoopError } from '../loop/index.ts'
import type { DaemonSettings } from './parts.ts'

/** Names are not asked for: what they mean is up to others. */
const isLoopback = (hostname: string): boolean =>
  hostname === 'localhost' ||
  hostname === '::1' ||
  (isIPv4(hostname) && hostname.startsWith('127.'))

/** Refuses to listen where others can come, unless nobody can listen in. */
export function requireSafe({ hostname, tls, publicNames = [] }: DaemonSettings): void {
  if (tls !== undefined) return
  if (publicNames.length > 0) {
    const message = 'Without TLS the daemon answers to names of this machine only.'
    const advice = 'Leave --public-name out, or give --tls-cert and --tls-key.'
    throw new LoopError('bad-request', `${message} ${advice}`)
  }
  if (isLoopback(hostname)) return
  throw new LoopError(
    'bad-request',
    `${hostname} can be reached by other machines, and what is said there can be read on the way. ` +
      'Give --tls-cert and --tls-key (and LOOPD_AUTH_TOKEN, or the token of the file), or leave ' +
      '--host out and come through an SSH tunnel.',
  )
}

const loopbackNames = ['127.0.0.1', 'localhost', '[::1]']

/** As they stand in the header `Host`, with the port, which the well-known ones may leave out. */
export function hostsOf(settings: DaemonSettings, port: number): ReadonlySet<string> {
  const own = settings.hostname.includes(':') ? `[${settings.hostname}]` : settings.hostname
  const others = [...(isAny(own) ? [] : [own]), ...(settings.publicNames ?? [])]
  const names = new Set([...loopbackNames, ...others.map((name) => name.toLowerCase())])
  const known = settings.tls === undefined ? 80 : 443
  return new Set(
    [...names].flatMap((name) =>
      hasPort(name) ? [name] : [`${name}:${port}`, ...(port === known ? [name] : [])],
    ),
  )
}

export function originsOf(
  settings: DaemonSettings,
  hosts: ReadonlySet<string>,
): ReadonlySet<string> {
  const scheme = settings.tls === undefined ? 'http' : 'https'
  return new Set([...hosts].map((host) => `${scheme}://${host}`))
}

/** Somebody else passes it on from there. */
const hasPort = (name: string): boolean => /:\d+$/.test(name)

/** Not a name of anything. */
const isAny = (name: string): boolean => name === '0.0.0.0' || name === '[::]'
