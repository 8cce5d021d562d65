// Where a replay works: what is there, what it must not replace, and when it is removed.

import {
  existsSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { newFolder, newHost } from './host-fixture.ts'
import { append, loopOf, replay, words } from './replay-fixture.ts'

describe('the folder of a replay', () => {
  test('is in the state folder, and is removed when it is no longer needed or with its run', async () => {
    const host = await newHost()
    const loop = loopOf((it) => append(it, 'x'))
    const options = { input: null, name: 'one', workspace: newFolder(), limits: { iterations: 1 } }
    await (await host.start(loop, options)).done
    const again = await host.replay('one')
    const handle = await again.start(loop, {})
    await handle.done
    expect(readdirSync(join(host.folder, 'replays'))).toHaveLength(1)
    await again.removeFiles()
    expect(readdirSync(join(host.folder, 'replays'))).toHaveLength(0)
    const kept = await replay(host, 'one', loop)
    expect(existsSync(kept.workspace ?? '')).toBe(true)
    await host.remove(kept.run)
    expect(existsSync(kept.workspace ?? '')).toBe(false)
  })

  test('has untracked files from the folder of the original, and from no other', async () => {
    const host = await newHost()
    const loop = loopOf(async (it) => {
      await append(it, 'x')
      const seen = readdirSync(it.workspace?.path ?? '', {
        recursive: true,
        encoding: 'utf8',
      }).toSorted((a, b) => a.localeCompare(b))
      return it.step('seen', () => seen)
    })
    const exclude = ['deps', 'link']
    const workspace = newFolder()
    mkdirSync(join(workspace, 'deps/a'), { recursive: true })
    writeFileSync(join(workspace, 'deps/a/index.js'), 'x')
    mkdirSync(join(workspace, '.git'))
    writeFileSync(join(workspace, '.git/HEAD'), 'ref: refs/heads/main')
    symlinkSync('/nonexistent/secret', join(workspace, 'link'))
    const options = { input: null, name: 'one', workspace, limits: { iterations: 1 }, exclude }
    await (await host.start(loop, options)).done
    const again = await replay(host, 'one', loop, { exclude })
    expect(words(again)).toBe('same')
    const { state } = await host.inspect(again.run)
    expect(state.progress).toEqual((await host.inspect('one')).state.progress)
    expect(state.progress).toContain('deps/a/index.js')
    expect(readlinkSync(join(again.workspace ?? '', 'link'))).toBe('/nonexistent/secret')
    const fork = { iteration: 0, name: 'fork', workspace: join(newFolder(), 'fork'), exclude }
    await (await host.fork('one', loop, fork)).done
    expect(readdirSync(fork.workspace).toSorted()).toEqual(['.git', 'deps', 'link', 'log.txt'])
  })

  test('has the files of the loop if they are among those of the original', async () => {
    const host = await newHost()
    const loop = loopOf((it) => append(it, 'x'))
    const workspace = newFolder()
    mkdirSync(join(workspace, 'loops'))
    const [inside, outside] = [join(workspace, 'loops/fix.yaml'), join(newFolder(), 'prompt.md')]
    for (const file of [inside, outside]) writeFileSync(file, 'x')
    const options = { input: null, name: 'one', workspace, limits: { iterations: 1 } }
    await (await host.start(loop, { ...options, exclude: ['loops/fix.yaml'] })).done
    const again = await host.replay('one')
    const brought = await again.bringFiles([inside, outside, '/nonexistent/x'])
    expect(brought).toEqual([join(again.workspace ?? '', 'loops/fix.yaml')])
    const handle = await again.start(loop, { exclude: ['loops/fix.yaml'] })
    await handle.done
    expect(words(await again.result(handle.id))).toBe('same')
    expect(existsSync(brought[0] ?? '')).toBe(true)
  })

  test('must be empty except for untracked files, and is not removed if it was chosen', async () => {
    const host = await newHost()
    const loop = loopOf((it) => append(it, 'x'))
    const options = { input: null, name: 'one', workspace: newFolder(), limits: { iterations: 1 } }
    await (await host.start(loop, options)).done
    const full = newFolder()
    writeFileSync(join(full, 'precious'), 'x')
    await expect((await host.replay('one', { workspace: full })).start(loop, {})).rejects.toThrow(
      /precious/,
    )
    const again = await host.replay('one', { workspace: full })
    await (await again.start(loop, { exclude: ['precious'] })).done
    await again.removeFiles()
    expect(readdirSync(full).toSorted()).toEqual(['log.txt', 'precious'])
  })
})
