import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type CargoRegistry, cargoRegistry } from './cargo-routes.ts'

let home: string
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'loopwright-cargo-'))
  await mkdir(join(home, '.cargo'))
})
afterEach(() => rm(home, { recursive: true, force: true }))

async function registry(config: string, credentials = '', env = {}): Promise<CargoRegistry> {
  await writeFile(join(home, '.cargo', 'config.toml'), config)
  await writeFile(join(home, '.cargo', 'credentials.toml'), credentials)
  return cargoRegistry(env, home)
}

const configJson = (found: CargoRegistry, config: object, at = 0): unknown => {
  const body = JSON.stringify(config)
  const answer = { path: 'config.json', contentType: 'application/json', body }
  const text = found.routes[at]?.rewrite?.(answer, (url) => url)
  return JSON.parse(text ?? '{}')
}

test('without settings: crates.io, with the archive URL of its index', async () => {
  const found = await registry('')
  expect(found.routes[0]?.upstream).toBe('https://index.crates.io/')
  expect(configJson(found, { dl: 'https://static.crates.io/crates', api: 'x' })).toEqual({
    dl: 'http://127.0.0.1:4142/crates/0',
  })
  expect(found.routes[1]).toMatchObject({ upstream: 'https://static.crates.io/crates/' })
})

test('archive URLs may have markers; credentials are sent only to the host of the index', async () => {
  const found = await registry(
    '[registries.a]\nindex = "sparse+https://a.example/index/"\n',
    '[registries.a]\ntoken = "secret"\n',
  )
  const own = { dl: 'https://a.example/dl/{crate}/{version}.crate', 'auth-required': true }
  expect(configJson(found, own, 2)).toEqual({
    dl: 'http://127.0.0.1:4142/crates/1/{crate}/{version}.crate',
  })
  const [, , index, archives] = found.routes
  expect(index?.headers).toEqual({ authorization: 'secret' })
  expect(archives).toMatchObject({
    upstream: 'https://a.example/dl/',
    headers: { authorization: 'secret' },
  })
  configJson(found, { dl: 'https://other.example/dl' }, 2)
  expect(archives).toMatchObject({ upstream: 'https://other.example/dl/', headers: {} })
})

test('the operator can replace crates.io, and pass a token in a variable', async () => {
  const found = await registry(
    '[source.crates-io]\nreplace-with = "one"\n[source.one]\nreplace-with = "my-two"\n[registries.my-two]\nindex = "sparse+https://two.example/"\n',
    '',
    { CARGO_REGISTRIES_MY_TWO_TOKEN: 'secret' },
  )
  expect(found.routes[0]).toMatchObject({
    upstream: 'https://two.example/',
    headers: { authorization: 'secret' },
  })
  expect(found.isKnown('registry+https://github.com/rust-lang/crates.io-index')).toBe(true)
  expect(found.isKnown('sparse+https://two.example/')).toBe(true)
  expect(found.isKnown('sparse+https://three.example/')).toBe(false)
})

test('a mirror in a folder needs no network', async () => {
  const found = await registry(
    '[source.crates-io]\nreplace-with = "m"\n[source.m]\nlocal-registry = "/opt/crates"\n',
  )
  expect(found).toMatchObject({
    routes: [],
    mirror: { kind: 'local-registry', path: '/opt/crates' },
  })
  expect(found.config).toContain('local-registry = ".store/mirror"')
})
