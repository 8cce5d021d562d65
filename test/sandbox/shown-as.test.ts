// A workspace with another path inside, so that a replay finds everything at its original path.

import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openSandbox } from '../../src/sandbox/index.ts'
import { never, newFolder } from './fixture.ts'

test('a workspace can be shown at another path, with its protections', async () => {
  const sandbox = await openSandbox({ requireTier: 'strong' })
  const workspace = await newFolder()
  const sandboxPath = '/tmp/original/work place'
  await writeFile(join(workspace, 'loop.yaml'), 'mine')
  await writeFile(join(workspace, '.env'), 'SECRET=1')
  const script = `pwd; cat loop.yaml; echo evil > loop.yaml; cat .env
    echo new > "${sandboxPath}/a.txt"; ls ${workspace}; cd sub 2>/dev/null; mkdir sub; true`
  const commands = sandbox.commands({
    workspace,
    sandboxPath,
    readOnly: [join(workspace, 'loop.yaml')],
    hide: [join(workspace, '.env')],
  })
  const one = { program: 'sh', args: ['-c', script], cwd: workspace }
  const { stdout, stderr } = await commands.run(one, never)
  expect(stdout).toBe(`${sandboxPath}\nmine`)
  expect(stderr).toContain('loop.yaml')
  expect(stderr).toContain(`'${workspace}': No such file`)
  expect(await readFile(join(workspace, 'a.txt'), 'utf8')).toBe('new\n')
  expect(await readFile(join(workspace, 'loop.yaml'), 'utf8')).toBe('mine')
  const below = { program: 'pwd', args: [], cwd: join(workspace, 'sub') }
  expect((await commands.run(below, never)).stdout).toBe(`${sandboxPath}/sub\n`)
})
