/**
 * The operator's registries of Rust packages: sparse indexes as routes of the endpoint, and local mirrors, from
 * which the packages of a lockfile are copied into the layer.
 */

import { existsSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { parse } from 'smol-toml'
import { z } from 'zod'
import { defined } from '../../../loop/index.ts'
import { type CargoFolder, cargoFolderConfig } from './cargo-folder.ts'
import type { Env, OperatorRegistry } from './go-routes.ts'
import { tryParse } from './lockfile-reading.ts'
import { type RegistryRoute, registryUrl } from './registry-endpoint.ts'
import { splitAddress } from './split-address.ts'

export interface CargoRegistry extends OperatorRegistry {
  /** Settings for cargo in the sandbox. */
  readonly config: string
  /** A local folder that replaces crates.io. */
  readonly mirror?: CargoFolder
  /** `source`: the registry of a package in a lockfile, such as `sparse+https://…`. */
  isKnown(source: string): boolean
}

const sparsePrefix = 'sparse+'
const publicIndex = 'sparse+https://index.crates.io/'
const publicSources = ['registry+https://github.com/rust-lang/crates.io-index', publicIndex]

const text = z.string().optional().catch(undefined)
const source = z.object({
  'replace-with': text,
  registry: text,
  directory: text,
  'local-registry': text,
})
const settings = z.object({
  source: z.record(z.string(), source).optional().catch(undefined),
  registries: z
    .record(z.string(), z.object({ index: text, token: text }))
    .optional()
    .catch(undefined),
})
type CargoSettings = z.infer<typeof settings>

export function cargoRegistry(env: Env = process.env, home: string = homedir()): CargoRegistry {
  const folder = env['CARGO_HOME'] ?? join(home, '.cargo')
  const config = readSettings(folder, 'config')
  const credentials = readSettings(folder, 'credentials')
  const findToken = (name: string): string | undefined =>
    env[`CARGO_REGISTRIES_${name.toUpperCase().replaceAll('-', '_')}_TOKEN`] ??
    credentials.registries?.[name]?.token ??
    config.registries?.[name]?.token
  const main = findMainSource(config)
  const indexes = Object.entries(config.registries ?? {}).flatMap(([name, { index }]) =>
    index?.startsWith(sparsePrefix) === true ? [{ name, index }] : [],
  )
  const routes = indexes.map(({ name, index }, at) => sparseRoutes(index, findToken(name), at + 1))
  const known = new Set([...publicSources, ...indexes.map(({ index }) => index)].map(withSlash))
  const named = indexes.map(({ name, index }, at) => replacedIndex(name, index, at + 1)).join('')
  const mainRoutes =
    main.folder === undefined ? sparseRoutes(main.index, findToken(main.name ?? ''), 0) : []
  return {
    routes: [...mainRoutes, ...routes.flat()],
    env: {},
    toEndpointUrl: () => undefined,
    readOnly: [],
    config: `[source.crates-io]\nreplace-with = "operator-0"\n${main.folder === undefined ? endpointIndex(0) : cargoFolderConfig(main.folder)}${named}`,
    ...defined({ mirror: main.folder }),
    isKnown: (one) => known.has(withSlash(one)),
  }
}

const withSlash = (address: string): string => (address.endsWith('/') ? address : `${address}/`)

function readSettings(folder: string, name: string): CargoSettings {
  const file = [join(folder, name), join(folder, `${name}.toml`)].find((one) => existsSync(one))
  const read = file === undefined ? {} : tryParse(parse, readFileSync(file, 'utf8'))
  return settings.safeParse(read).data ?? {}
}

interface MainSource {
  readonly index: string
  readonly name?: string
  readonly folder?: CargoFolder
}

const replacementsMax = 8

/** Follows the operator's replacements of crates.io. */
function findMainSource({ source: sources = {}, registries = {} }: CargoSettings): MainSource {
  let name = 'crates-io'
  for (let steps = 0; steps < replacementsMax; steps++) {
    const next = sources[name]?.['replace-with']
    if (next === undefined) break
    name = next
  }
  const found = sources[name]
  for (const kind of ['directory', 'local-registry'] as const) {
    const path = found?.[kind]
    if (path !== undefined) return { index: publicIndex, folder: { kind, path } }
  }
  const index = found?.registry ?? registries[name]?.index
  return index?.startsWith(sparsePrefix) === true ? { index, name } : { index: publicIndex }
}

const endpointIndex = (at: number): string =>
  `[source.operator-${at}]\nregistry = "${sparsePrefix}${registryUrl}cargo/${at}/"\n`

/** The lockfile and the manifests keep the original URL. */
const replacedIndex = (name: string, index: string, at: number): string =>
  `[registries.${JSON.stringify(name)}]\nindex = ${JSON.stringify(index)}\n` +
  `[source.replaced-${at}]\nregistry = ${JSON.stringify(index)}\nreplace-with = "operator-${at}"\n${endpointIndex(at)}`

const indexConfig = z.looseObject({ dl: z.string() })

/** The `config.json` of an index contains the URL of the archives. */
function sparseRoutes(
  index: string,
  token: string | undefined,
  at: number,
): readonly RegistryRoute[] {
  const { upstream, headers: login } = splitAddress(index.slice(sparsePrefix.length))
  const headers = token === undefined ? login : { authorization: token }
  let archives = upstream
  const rewrite: RegistryRoute['rewrite'] = ({ path, body }) => {
    if (path !== 'config.json') return undefined
    const config = indexConfig.parse(JSON.parse(body))
    const [fixed = '', ...markers] = config.dl.split(/(?=\{)/)
    const isPlain = markers.length === 0
    const end = isPlain ? fixed.length : fixed.lastIndexOf('/') + 1
    archives = withSlash(new URL(fixed.slice(0, end), upstream).href)
    const rest = isPlain ? '' : `/${fixed.slice(end)}${markers.join('')}`
    // The endpoint adds credentials, outside the sandbox.
    const { 'auth-required': _, ...others } = config
    return JSON.stringify({ ...others, dl: `${registryUrl}crates/${at}${rest}`, api: undefined })
  }
  return [
    { prefix: `cargo/${at}`, upstream, headers, rewrite },
    {
      prefix: `crates/${at}`,
      get upstream() {
        return archives
      },
      get headers() {
        return new URL(archives).origin === new URL(upstream).origin ? headers : {}
      },
      isLinked: true,
    },
  ]
}
