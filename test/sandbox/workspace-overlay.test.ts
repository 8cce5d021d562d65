// A workspace that a command can change and that stays unchanged on disk; its reads and writes are observed from
// outside, whatever it tries.

import { lstatSync, readdirSync, readFileSync } from 'node:fs'
import { chmod, lchown, link, mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { SandboxSpec } from '../../src/sandbox/index.ts'
import { listWritten } from '../../src/workspace/index.ts'
import { drive, type Identity, identities, type JobResult, newFolder } from './fixture.ts'

interface Scene {
  readonly place: SandboxSpec
  readonly upper: string
  /** Everything in the workspace. */
  content(): string
}

const names =
  'mended removed renamed mode linked untouched src/one src/two many/a many/b noatime mapped byfd byroot run times'

async function newScene(identity: Identity, limits: SandboxSpec['limits'] = {}): Promise<Scene> {
  const own = await newFolder(identity)
  const [workspace, folder] = [join(own, 'a work, of:two\\parts'), join(own, 'writes')]
  const layer = join(own, 'layer')
  for (const path of ['src', 'many', 'temporary', '.git/refs', 'node_modules']) {
    await mkdir(join(workspace, path), { recursive: true })
  }
  for (const path of [folder, join(own, 'memory'), join(layer, 'dep')]) {
    await mkdir(path, { recursive: true })
  }
  for (const name of names.split(' '))
    await writeFile(join(workspace, name), `#!/bin/sh\n# ${name}\n`)
  await chmod(join(workspace, 'run'), 0o755)
  await link(join(workspace, 'linked'), join(own, 'elsewhere'))
  await symlink('src', join(workspace, 'alias'))
  await writeFile(join(workspace, '.git/HEAD'), 'ref: refs/heads/main\n')
  await writeFile(join(layer, 'dep/index.js'), 'dependency\n')
  const { uid, gid } = lstatSync(own)
  for (const name of readdirSync(own, { recursive: true, encoding: 'utf8' })) {
    await lchown(join(own, name), uid, gid)
  }
  return {
    place: {
      workspace,
      workspaceOverlay: { folder },
      readOnly: [layer],
      overlay: { folder: join(own, 'memory'), lower: [layer] },
      mounts: [{ from: layer, to: join(workspace, 'node_modules') }],
      limits,
    },
    upper: join(folder, 'upper'),
    content: () => describeContent(workspace),
  }
}

function describeContent(folder: string): string {
  const listed = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .toSorted()
    .map((name) => {
      const { mode, ino, size, mtimeNs, ctimeNs } = lstatSync(join(folder, name), { bigint: true })
      const isFile = lstatSync(join(folder, name)).isFile()
      const bytes = isFile ? readFileSync(join(folder, name), 'latin1') : ''
      return `${name} ${mode} ${ino} ${size} ${mtimeNs} ${ctimeNs} ${bytes}`
    })
  return listed.join('\n')
}

const run = (
  identity: Identity,
  { place }: Scene,
  ...scripts: readonly string[]
): Promise<JobResult> =>
  drive(identity, {
    place,
    watch: place.workspace,
    commands: scripts.map((script) => ({
      program: 'bash',
      args: ['-c', script],
      timeoutMs: 30_000,
    })),
  })

describe.each(identities)('for %s', (identity) => {
  test('all writes of a command are listed, even restored files, and the workspace stays unchanged', async () => {
    const scene = await newScene(identity)
    const before = scene.content()
    const { results } = await run(
      identity,
      scene,
      `set -e; cp -p mended /tmp/m; echo evil > mended; cp -p /tmp/m mended
       rm removed; mv renamed other; chmod 700 mode; echo new > src/new; ln linked hard
       echo x > temporary/file; rm temporary/file
       rm -r many; mkdir -p made/empty; echo more > node_modules/dep/index.js
       ! echo evil > .git/HEAD; id -u; cat node_modules/dep/index.js`,
      'ls; cat src/new node_modules/dep/index.js',
    )
    expect(results[0]?.stdout).toBe(`${lstatSync(scene.place.workspace).uid}\nmore\n`)
    // The next command sees these changes; dependencies are reset.
    expect(results[1]?.stdout).toContain('other\n')
    expect(results[1]?.stdout).toContain('new\ndependency\n')
    expect(results[1]?.stdout).not.toContain('many')
    expect(await listWritten(scene.upper)).toEqual(
      'hard linked made/empty many mended mode other removed renamed src/new temporary'.split(' '),
    )
    expect(scene.content()).toBe(before)
  })

  test('all reads of a command are listed, however it reads', async () => {
    const scene = await newScene(identity)
    const { results, read } = await run(
      identity,
      scene,
      `set -e; cat alias/one; ls -R > /dev/null; test -f untouched; stat mode > /dev/null
       cat /proc/self/root"$PWD"/byroot; exec 7< byfd; cat /proc/self/fd/7; ./run
       ln linked hard; cat hard; mv many moved; cat moved/a
       cat times; touch -a -d 2001-01-01 times
       python3 - <<'PYTHON'
import mmap, os
os.read(os.open('noatime', os.O_RDONLY | os.O_NOATIME), 1)
assert mmap.mmap(os.open('mapped', os.O_RDONLY), 0, prot=mmap.PROT_READ)[0] == ord('#')
PYTHON`,
    )
    expect(results[0]?.exitCode).toBe(0)
    // mv copies (and so reads) the files, because an overlay cannot rename folders of the lower layer.
    expect(read).toEqual(
      'byfd byroot linked many/a many/b mapped noatime run src/one times'.split(' '),
    )
  })

  test('writes are limited', async () => {
    const scene = await newScene(identity, { workspaceBytes: 8 * 1024 ** 2 })
    const fill = 'head -c 64M /dev/zero > src/one; sleep 10; echo survived'
    const { results } = await run(identity, scene, fill)
    expect(results[0]).toMatchObject({ exceeded: 'disk', stdout: '' })
  })
})

test.each(identities)(
  'for %s the trial detects reads and writes, and leaves no files',
  async (identity) => {
    const folder = await newFolder(identity)
    const { observes } = await drive(identity, { observes: folder })
    expect(observes).toMatchObject({ reads: 'inotify', writes: 'overlay' })
    expect(readdirSync(folder)).toEqual([])
  },
)

test('an overlay folder inside the workspace is rejected', async () => {
  const workspace = await newFolder()
  const place = { workspace, workspaceOverlay: { folder: workspace } }
  const commands = [{ program: 'true', args: [] }]
  await expect(drive(identities[0] ?? 'user', { place, commands })).rejects.toThrow(
    /inside the other/,
  )
})
