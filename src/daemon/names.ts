/** The names by which this daemon, and nothing else, is asked. */

import type { DaemonSettings } from './parts.ts'

const loopbackNames = ['127.0.0.1', 'localhost', '[::1]']

/** As they stand in the header `Host`, with the port, which the well-known ones may leave out. */
export function hostsOf(settings: DaemonSettings, port: number): ReadonlySet<string> {
  const own = settings.hostname.includes(':') ? `[${settings.hostname}]` : settings.hostname
  const others = [...(isAny(own) ? [] : [own]), ...(settings.publicNames ?? [])]
  const names = new Set([...loopbackNames, ...others.map((name) => name.toLowerCase())])
  const known = settings.tls === undefined ? 80 : 443
  return new Set(
    [...names].flatMap((name) => [`${name}:${port}`, ...(port === known ? [name] : [])]),
  )
}

export function originsOf(
  settings: DaemonSettings,
  hosts: ReadonlySet<string>,
): ReadonlySet<string> {
  const scheme = settings.tls === undefined ? 'http' : 'https'
  return new Set([...hosts].map((host) => `${scheme}://${host}`))
}

/** Not a name of anything. */
const isAny = (name: string): boolean => name === '0.0.0.0' || name === '[::]'
