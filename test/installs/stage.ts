// Runs one attack: a scene with a home, a state folder, another project, the operator's registry and a
// server of the attacker; then the product, as root or as an ordinary user; then what has changed.

import { createHash, randomBytes } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Attack, Files, Scene } from './attack.ts'
import { driver, type Identity, ordinaryUid, readableDist, run } from './identity.ts'
import { pathWith } from './managers.ts'
import { homeFiles, operatorVariables } from './operator.ts'
import { plantedFile } from './planted.ts'
import { openServers, type Servers } from './servers.ts'

export interface Found {
  readonly ends: string
  readonly message: string
  /** Files that the attack created on the host, or that its planted package left in a layer. */
  readonly markers: readonly string[]
  /** Where the operator's secrets were seen, other than at the operator's registry. */
  readonly credentials: readonly string[]
  /** Connections to the attacker's server. */
  readonly connections: readonly string[]
  /** What was added, changed or removed outside of the layers. */
  readonly outside: readonly string[]
}

interface OpenScene extends Scene {
  readonly base: string
  readonly state: string
  readonly servers: Servers
  close(): Promise<void>
}

async function openScene(attack: Attack): Promise<OpenScene> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'lwi-')))
  chmodSync(base, 0o755)
  const tag = randomBytes(6).toString('hex')
  const canary = `canary-${randomBytes(10).toString('hex')}`
  const servers = await openServers(canary)
  const places = ['home', 'state', 'neighbor', 'tmp'].map((name) => join(base, name))
  for (const place of places) mkdirSync(place)
  const markers = [base, ...places.slice(0, 3), '/tmp', '/var/tmp'].map((place) =>
    join(place, `marker-${tag}`),
  )
  const scene = {
    base,
    state: join(base, 'state'),
    marker: join(base, `marker-${tag}`),
    markers,
    neighbor: join(base, 'neighbor'),
    evil: servers.evil,
    registry: servers.registry,
    canary,
    servers,
    async close() {
      await servers.close()
      await run('chmod', ['-R', 'u+rwX', base])
      await run('rm', ['-rf', base, ...markers])
    },
  }
  writeFiles(join(base, 'neighbor'), {
    'node_modules/private/index.js': 'module.exports = "private"\n',
    'secret.txt': `${canary}\n`,
    'package.json': '{ "name": "neighbor", "version": "1.0.0" }',
  })
  writeFiles(join(base, 'home'), homeFiles(scene, attack.npmrc?.(scene)))
  servers.answer(attack.answers?.(scene) ?? {})
  return scene
}

function writeFiles(folder: string, files: Files): void {
  for (const [name, content] of Object.entries(files)) {
    const path = join(folder, name)
    mkdirSync(dirname(path), { recursive: true })
    if (typeof content === 'string') writeFileSync(path, content)
    else if ('link' in content) symlinkSync(content.link, path)
    else writeFileSync(path, content.executable, { mode: 0o755 })
  }
}

const environmentOf = (scene: OpenScene, path: string): Record<string, string> => ({
  PATH: path,
  HOME: join(scene.base, 'home'),
  TMPDIR: join(scene.base, 'tmp'),
  ...operatorVariables(scene),
})

/** The product, on the attack's repository. */
export async function runAttack(attack: Attack, identity: Identity): Promise<Found> {
  const scene = await openScene(attack)
  try {
    const job = join(scene.base, 'job.json')
    const { state } = scene
    writeFileSync(job, JSON.stringify({ files: attack.files(scene), state, mode: 'install' }))
    if (identity === 'user') await run('chown', ['-R', `${ordinaryUid}`, scene.base])
    const dist = await readableDist()
    const before = listOutside(scene)
    const path = pathWith(attack.manager) ?? pathWith('npm') ?? ''
    const args = [join(dist, driver), join(dist, 'dist'), job]
    const { stdout, stderr } = await run(process.execPath, args, {
      identity,
      env: environmentOf(scene, path),
    })
    const last = stdout.trim().split('\n').at(-1) ?? ''
    if (!last.startsWith('{')) throw new Error(`The job was not done: ${stderr.slice(-2000)}`)
    const { ends, message, mounts } = JSON.parse(last) as Job
    return {
      ends,
      message,
      markers: [...scene.markers.filter((one) => existsSync(one)), ...plantedIn(state)],
      credentials: [...credentialsIn(scene), ...(message.includes(scene.canary) ? [message] : [])],
      connections: scene.servers.seenByEvil().map(({ url }) => url),
      outside: [...differences(before, listOutside(scene)), ...strangeMounts(scene, mounts)],
    }
  } finally {
    await scene.close()
  }
}

interface Job {
  readonly ends: string
  readonly message: string
  readonly mounts: readonly { readonly from: string }[]
}

/** A plain package manager on the same repository, in a sandbox where only the scene can be written. */
export async function runControl(attack: Attack): Promise<boolean> {
  const scene = await openScene(attack)
  try {
    const folder = join(scene.base, 'control')
    mkdirSync(folder)
    writeFiles(folder, attack.files(scene))
    const before = listed(scene.neighbor)
    const { base } = scene
    const sandbox = [
      '--ro-bind',
      '/',
      '/',
      '--dev',
      '/dev',
      '--proc',
      '/proc',
      '--bind',
      base,
      base,
    ]
    const path = pathWith(attack.manager) ?? ''
    await run('bwrap', [...sandbox, '--chdir', folder, '--', ...(attack.control ?? [])], {
      env: environmentOf(scene, path),
      timeoutMs: 120_000,
    })
    return (
      scene.markers.some((one) => existsSync(one)) ||
      scene.servers.seenByEvil().length > 0 ||
      differences(before, listed(scene.neighbor)).length > 0
    )
  } finally {
    await scene.close()
  }
}

/**
 * In the layers, at the attacker's, or in a path that was requested from the operator's registry.
 */
function credentialsIn({ state, servers, canary }: OpenScene): readonly string[] {
  const inLayers = filesBelow(state).filter((file) => readFileSync(file, 'latin1').includes(canary))
  const hex = Buffer.from(canary).toString('hex')
  const asked = servers
    .seenByRegistry()
    .filter(({ url }) => url.includes(canary) || url.includes(hex))
  const stolen = servers.seenByEvil().filter(({ text }) => servers.isSecret(text))
  return [...inLayers, ...[...asked, ...stolen].map(({ url }) => url)]
}

export function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
}

const plantedIn = (state: string): readonly string[] =>
  filesBelow(state).filter((file) => file.endsWith(`/${plantedFile}`))

/** What checks see must be in a layer, wherever symlinks lead. */
function strangeMounts({ state }: OpenScene, mounts: Job['mounts']): readonly string[] {
  return mounts.flatMap(({ from }) => {
    const real = realpathSync(from)
    return real.startsWith(`${join(state, 'layers')}/`) ? [] : [`mounted: ${real}`]
  })
}

/** Everything in the scene except the layers; and that nothing is left of abandoned layers. */
function listOutside({ base, state }: OpenScene): ReadonlyMap<string, string> {
  const all = listed(base, (path) => path === join(state, 'layers'))
  const layers = existsSync(join(state, 'layers')) ? readdirSync(join(state, 'layers')) : []
  const records = layers
    .filter((name) => name.endsWith('.json'))
    .map((name) => readFileSync(join(state, 'layers', name), 'utf8'))
  const left = layers.filter(
    (name) => /^[0-9a-f-]{36}$/.test(name) && !records.some((text) => text.includes(name)),
  )
  return new Map([...all, ['layers without a record', left.join()]])
}

function listed(
  folder: string,
  isApart: (path: string) => boolean = () => false,
): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  const queue = [folder]
  for (const path of queue) {
    if (isApart(path)) continue
    const seen = lstatSync(path)
    const mode = (seen.mode & 0o7777).toString(8)
    const what = seen.isSymbolicLink()
      ? readlinkSync(path)
      : seen.isFile()
        ? createHash('sha256').update(readFileSync(path)).digest('hex')
        : ''
    found.set(path, `${mode} ${seen.uid} ${what}`)
    if (seen.isDirectory()) queue.push(...readdirSync(path).map((name) => join(path, name)))
  }
  return found
}

const differences = (
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): readonly string[] =>
  [...new Set([...before.keys(), ...after.keys()])].filter(
    (path) => before.get(path) !== after.get(path),
  )
