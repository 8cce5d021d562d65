import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { readLoopFile } from './read-loop-file.ts'

const rest = 'agent: { command: [agent] }\nchecks: { test: npm test }\n'

let base: string
let folder: string

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'loopwright-loop-file-'))
  folder = join(base, 'loops')
  mkdirSync(folder)
})

afterEach(() => rmSync(base, { recursive: true, force: true }))

function write(name: string, content: string | Uint8Array): string {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}

const refusal = (path: string): Promise<string> =>
  readLoopFile(path).then(
    () => 'accepted',
    (error: unknown) => (error instanceof Error ? error.message.replaceAll(base, '') : 'unknown'),
  )

describe('a loop file on disk', () => {
  test('has the files that it names, and where each template starts', async () => {
    write('task.md', 'Task: {{ input.goal }}\n')
    const path = write(
      'a.yaml',
      `prompt:\n- { name: task, file: task.md, stable: true }\n- name: rest\n  text: |\n    {{ progress }}\n${rest}`,
    )
    const { file, prompts, files, path: absolute } = await readLoopFile(path)
    expect(file.name).toBe('a')
    expect(absolute).toBe(path)
    expect(files.map((one) => one.path)).toEqual(['a.yaml', 'task.md'])
    expect(prompts['prompt']).toMatchObject([
      {
        name: 'task',
        stable: true,
        text: 'Task: {{ input.goal }}\n',
        position: { file: join(folder, 'task.md'), line: 1, column: 1 },
      },
      { name: 'rest', text: '{{ progress }}\n', position: { file: path, line: 5, column: 5 } },
    ])
  })

  test('has a digest that changes with any of its files, and with nothing else', async () => {
    write('p.md', 'one')
    const path = write('a.yaml', `prompt: { file: p.md }\n${rest}`)
    const first = await readLoopFile(path)
    write('other.md', 'not named')
    expect((await readLoopFile(path)).digest).toBe(first.digest)
    write('p.md', 'two')
    const second = await readLoopFile(path)
    expect(second.digest).not.toBe(first.digest)
    write('p.md', 'one')
    write('a.yaml', `prompt: { file: p.md }\n${rest}# more\n`)
    expect([first.digest, second.digest]).not.toContain((await readLoopFile(path)).digest)
  })

  test('that is missing is reported with the existing ones', async () => {
    write('fix-sum.yaml', `prompt: x\n${rest}`)
    expect(await refusal(join(folder, 'fix-sun.yaml'))).toContain(
      'The file /loops/fix-sun.yaml does not exist: use another, such as "fix-sum.yaml".',
    )
    expect(await refusal(folder)).toContain('/loops:1:1: the file: it is a folder')
    expect(await refusal('/nonexistent/a.yaml')).toBe(
      'The file /nonexistent/a.yaml does not exist: check the path.',
    )
  })
})

describe('a file that a loop file names', () => {
  test.each<[string, string, string]>([
    ['above the folder', '../secret.md', '"../secret.md" is outside the folder'],
    ['an absolute path', '/etc/hostname', '"/etc/hostname" is outside the folder'],
    ['a symlink to outside', 'link.md', '"link.md" is outside the folder'],
    ['below a symlink to outside', 'out/secret.md', '"out/secret.md" is outside the folder'],
    ['a pipe', 'pipe.md', '"pipe.md" is not a regular file'],
    ['a folder', 'inner', '"inner" is a folder'],
    ['missing', 'promt.md', '"promt.md" does not exist: use another, such as "prompt.md"'],
    ['empty', 'empty.md', '"empty.md" is empty'],
    ['too long', 'long.md', '"long.md" is over 1048576 bytes'],
    ['not UTF-8', 'bytes.md', '"bytes.md" cannot be used, line 2, column 2: it is not UTF-8'],
  ])('is refused if it is %s, with its line in the loop file', async (_what, name, reason) => {
    writeFileSync(join(base, 'secret.md'), 'secret')
    symlinkSync(join(base, 'secret.md'), join(folder, 'link.md'))
    symlinkSync(base, join(folder, 'out'))
    mkdirSync(join(folder, 'inner'))
    execFileSync('mkfifo', [join(folder, 'pipe.md')])
    write('prompt.md', 'x')
    write('empty.md', '\n')
    write('long.md', 'x'.repeat(1024 * 1024 + 1))
    write('bytes.md', Buffer.from([0x61, 0x0a, 0x61, 0xff]))
    const path = write('a.yaml', `${rest}prompt:\n  file: ${name}\n`)
    const message = await refusal(path)
    expect(message).toContain(`/loops/a.yaml:4:9: prompt.file: ${reason}`)
    expect(message).not.toContain('secret\n')
  })

  test('may be a symlink within the folder, and is reported with its line in a list', async () => {
    write('prompt.md', 'x')
    symlinkSync('prompt.md', join(folder, 'inside.md'))
    const list = '- { name: a, file: inside.md }\n- { name: b, file: gone.md }\n'
    const message = await refusal(write('a.yaml', `${rest}prompt:\n${list}`))
    expect(message).toContain('a.yaml:5:20: prompt[1].file: "gone.md" does not exist')
    expect(message).not.toContain('inside.md"')
  })
})
