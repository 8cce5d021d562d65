// Files certified without a run, through the certifier that runs use.

import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { verifyTarget } from '../src/history/certificates/index.ts'
import { type Host, openHost } from '../src/host/index.ts'
import {
  type CertifiedFolder,
  type CertifyFolderOptions,
  certifyFolder,
} from '../src/launch/certify/certify-folder.ts'
import { loadChecks } from '../src/launch/certify/load-checks.ts'

let root: string
let host: Host
let project: string

const git = (...args: string[]): string =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.c', ...args], {
    cwd: project,
    encoding: 'utf8',
  }).trim()

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'loopwright-certify-'))
  host = await openHost({ folder: join(root, 'state') })
  project = join(root, 'project')
  await mkdir(project)
  await writeFile(join(project, 'answer.txt'), '42\n')
  git('init', '-q')
  git('add', '-A')
  git('commit', '-qm', 'one')
})
afterAll(async () => {
  await host.close()
  await rm(root, { recursive: true, force: true })
})

async function certify(
  checks: Readonly<Record<string, string>>,
  options: CertifyFolderOptions = {},
  folder = project,
): Promise<CertifiedFolder> {
  const loaded = await loadChecks(host, folder, checks)
  return certifyFolder(host, loaded, { attended: true, ...options })
}

describe('files without a run', () => {
  test('are certified as a commit, which can be verified', async () => {
    const begun: string[] = []
    const onCheck = (name: string) => void begun.push(name)
    const found = await certify({ answer: 'grep -qx 42 answer.txt' }, { onCheck })
    expect(begun[0]).toBe('answer')
    expect(found).toMatchObject({
      certified: true,
      commit: git('rev-parse', 'HEAD'),
      checks: ['answer'],
    })
    const id = found.certified ? found.certificate : ''
    const look = { repo: project }
    const { verdict, certificate } = await verifyTarget({
      target: id,
      folder: host.folder,
      look,
    })
    expect(verdict).toBe('valid')
    expect(certificate).toMatchObject({ what: { type: 'tree', name: 'project' } })
  })

  test('leave nothing that garbage collection mistakes for content of lost runs', async () => {
    expect(await host.collectGarbage()).toMatchObject({ removed: 0, layers: { removed: 0 } })
  })

  test('are refused with the check that fails, and with no check that sees only the folder', async () => {
    await mkdir(join(project, '.git', 'info'), { recursive: true })
    await writeFile(join(project, '.git', 'info', 'exclude'), 'made.txt\n')
    await writeFile(join(project, 'made.txt'), '')
    const found = await certify({ made: 'test -e made.txt' })
    expect(found).toMatchObject({
      certified: false,
      refusals: [{ code: 'check-failed', check: 'made' }],
    })
  })

  test('that are not committed are certified only on request', async () => {
    await writeFile(join(project, 'new.txt'), 'new\n')
    const checks = { fresh: 'grep -qx new new.txt' }
    await expect(certify(checks)).rejects.toMatchObject({
      code: 'wrong-status',
      message: expect.stringContaining('new.txt'),
    })
    const found = await certify(checks, { dirty: true })
    expect(found).toMatchObject({ certified: true })
    expect(found).not.toHaveProperty('commit')
    await rm(join(project, 'new.txt'))
  })

  test('are those of a commit, and not of a folder in it or outside of a repository', async () => {
    const inside = join(project, 'inside')
    await mkdir(inside)
    await expect(certify({ ok: 'true' }, {}, inside)).rejects.toMatchObject({
      code: 'bad-request',
      message: expect.stringMatching(/inside is not in it.* --dirty/),
    })
    await expect(loadChecks(host, inside, {})).rejects.toMatchObject({
      message: expect.stringMatching(/inside the repository .*project: certify that/),
    })
    await rm(inside, { recursive: true })
    await expect(loadChecks(host, inside, {})).rejects.toMatchObject({ code: 'bad-request' })
    await expect(certify({ ok: 'true' }, { base: 'main' }, root)).rejects.toMatchObject({
      message: expect.stringMatching(/not a git repository.* Omit --base/),
    })
  })

  test('in an unknown kind of project need a check', async () => {
    await expect(loadChecks(host, project, {})).rejects.toMatchObject({
      code: 'not-configured',
      message: expect.stringContaining('--check'),
    })
  })
})
