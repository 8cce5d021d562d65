/** Where this daemon may listen, and the host names that requests to it must use. */

import { isIPv4 } from 'node:net'
import { LoopError } from '../loop/index.ts'
import type { DaemonSettings } from './parts.ts'

/** Does not resolve names, since DNS is not trusted. */
const isLoopback = (hostname: string): boolean =>
  hostname === 'localhost' ||
  hostname === '::1' ||
  (isIPv4(hostname) && hostname.startsWith('127.'))

/** Refuses to listen for other machines without TLS. */
export function requireSafe({ hostname, tls, publicNames = [] }: DaemonSettings): void {
  if (tls !== undefined) return
  if (publicNames.length > 0) {
    const message = 'Without TLS the daemon accepts only names of this machine.'
    const advice = 'Omit --public-name, or pass --tls-cert and --tls-key.'
    throw new LoopError('bad-request', `${message} ${advice}`)
  }
  if (isLoopback(hostname)) return
  throw new LoopError(
    'bad-request',
    `${hostname} is reachable from other machines, and without TLS would send the token unencrypted. ` +
      'Pass --tls-cert and --tls-key, or omit --host and use an SSH tunnel.',
  )
}

const loopbackNames = ['127.0.0.1', 'localhost', '[::1]']

/** As in the header `Host`: with the port, which is optional if it is the default of the scheme. */
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

/** Where a browser on this machine finds the daemon; with TLS, by the first name that others use. */
export function browserAddress({ hostname, port, tls, publicNames }: DaemonSettings): string {
  const own = hostname.includes(':') ? `[${hostname}]` : hostname
  const [name = isAny(own) ? 'localhost' : own] = publicNames ?? []
  const scheme = tls === undefined ? 'http' : 'https'
  return `${scheme}://${hasPort(name) ? name : `${name}:${port}`}`
}

/** A name with a port belongs to a proxy that forwards requests. */
const hasPort = (name: string): boolean => /:\d+$/.test(name)

/** A wildcard address, not a name. */
const isAny = (name: string): boolean => name === '0.0.0.0' || name === '[::]'
