/**
 * Reads the registries and credentials of the operator's npm settings: the files of the user and of the
 * machine, and `npm_config_*` variables. Nothing of a repository is read here.
 */

import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { defined } from '../../../loop/index.ts'
import { type ProxySettings, readProxySettings } from './operator-proxy.ts'
import { splitAddress } from './split-address.ts'

export interface NpmRegistry {
  /** `@acme`; absent: the registry for everything without a scoped registry. */
  readonly scope?: string
  /** With a slash at the end. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

export interface NpmSettings {
  /** The default registry comes first. */
  readonly registries: readonly NpmRegistry[]
  readonly caFile?: string
  readonly isStrictSsl: boolean
  readonly proxy?: ProxySettings
}

export interface NpmSettingsOptions {
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly home?: string
  readonly node?: string
}

export const publicRegistry = 'https://registry.npmjs.org/'

type Entries = ReadonlyMap<string, string>

export function readNpmSettings(options: NpmSettingsOptions = {}): NpmSettings {
  const { env = process.env, home = homedir(), node = process.execPath } = options
  const variables = readVariables(env)
  const user = readNpmrc(variables.get('userconfig') ?? join(home, '.npmrc'), env)
  const prefix = variables.get('prefix') ?? user.get('prefix') ?? findPrefix(node)
  const machine = readNpmrc(variables.get('globalconfig') ?? join(prefix, 'etc', 'npmrc'), env)
  const all: Entries = new Map([...machine, ...user, ...variables])
  const scoped = [...all].flatMap(([key, url]): NpmRegistry[] => {
    const [, scope] = /^(@[^:]+):registry$/.exec(key) ?? []
    return scope === undefined ? [] : [toRegistry(all, url, scope)]
  })
  const caFile = all.get('cafile')
  return {
    registries: [toRegistry(all, all.get('registry') ?? publicRegistry), ...scoped],
    ...(caFile === undefined || !existsSync(caFile) ? {} : { caFile }),
    isStrictSsl: all.get('strict-ssl') !== 'false',
    proxy: readProxySettings(env, all),
  }
}

function readVariables(env: Readonly<Record<string, string | undefined>>): Entries {
  return new Map(
    Object.entries(env).flatMap(([name, value]): [string, string][] => {
      const [, key] = /^npm_config_(.+)$/i.exec(name) ?? []
      if (key === undefined || value === undefined || value === '') return []
      return [[key.startsWith('@') ? key : key.toLowerCase().replaceAll('_', '-'), value]]
    }),
  )
}

/** Returns npm's prefix: `/usr` for `/usr/bin/node`. */
function findPrefix(node: string): string {
  const real = existsSync(node) ? realpathSync(node) : node
  return dirname(dirname(real))
}

function readNpmrc(path: string, env: Readonly<Record<string, string | undefined>>): Entries {
  return existsSync(path) ? parseNpmrc(readFileSync(path, 'utf8'), env) : new Map()
}

/** `env`: the values of `${NAME}`. */
export function parseNpmrc(
  text: string,
  env: Readonly<Record<string, string | undefined>> = {},
): Entries {
  const entries = new Map<string, string>()
  for (const line of text.split(/\r\n|\n|\r/)) {
    // Not parsed by a pattern with adjacent repetitions: a malicious file could make it backtrack for hours.
    const at = line.indexOf('=')
    const key = line.slice(0, Math.max(0, at)).trim()
    if (key === '' || /^[;#]/.test(key)) continue
    const value = line.slice(at + 1).trim()
    entries.set(key, expand(value.replace(/^(["'])(.*)\1$/, '$2'), env))
  }
  return entries
}

const expand = (value: string, env: Readonly<Record<string, string | undefined>>): string =>
  value.replaceAll(/\$\{([^${}]+)\}/g, (whole, name: string) => env[name] ?? whole)

function toRegistry(all: Entries, address: string, scope?: string): NpmRegistry {
  const { upstream, headers } = splitAddress(URL.canParse(address) ? address : publicRegistry)
  return {
    ...defined({ scope }),
    url: upstream,
    headers: { ...headers, ...credentialsFor(all, upstream) },
  }
}

/** npm stores credentials by host and path; the nearest parent path wins. */
function credentialsFor(all: Entries, url: string): Readonly<Record<string, string>> {
  let location = url.replace(/^https?:/, '')
  while (location.length > 2) {
    const read = (key: string): string | undefined => all.get(`${location}:${key}`)
    const token = read('_authToken')
    if (token !== undefined) return { authorization: `Bearer ${token}` }
    const basic = read('_auth') ?? encodeBasic(read('username'), read('_password'))
    if (basic !== undefined) return { authorization: `Basic ${basic}` }
    location = location.replace(/[^/]*\/$/, '').replace(/^\/\/?$/, '')
  }
  return {}
}

function encodeBasic(name: string | undefined, password: string | undefined): string | undefined {
  if (name === undefined || password === undefined) return undefined
  const plain = Buffer.from(password, 'base64').toString('utf8')
  return Buffer.from(`${name}:${plain}`).toString('base64')
}
