/** Changes beside tests inside product files, and to pages and styles of the product. */

import { cargoKit, mend, pytestKit, vitestKit } from '../real-stages.ts'
import { fix, projectFiles } from '../stages.ts'
import type { Honest } from '../story.ts'

const textOf = (kit: typeof cargoKit, path: string): string => kit.stage.files?.[path] ?? ''

const inSource = {
  'test/sum.test.js': null,
  'vitest.config.js':
    "export default { test: { include: ['test/*.test.js'], includeSource: ['src/*.js'] } }\n",
  'src/sum.js': `${projectFiles['src/sum.js'] ?? ''}
if (import.meta.vitest) {
  const { expect, test } = import.meta.vitest
  test('one', () => expect(sum([5])).toBe(5))
}
`,
}

export const inside: readonly Honest[] = [
  {
    name: 'fixes the bug, with a test in the source (vitest)',
    stage: vitestKit.stage,
    files: inSource,
    moves: [
      fix,
      {
        edit: 'src/sum.js',
        from: "  test('one'",
        to: "  test('two', () => expect(sum([1, 2])).toBe(3))\n  test('one'",
      },
    ],
    ends: 'certified',
  },
  {
    name: 'fixes the bug, with a test in the test module and an example (cargo test)',
    stage: cargoKit.stage,
    files: {
      'src/lib.rs': `${textOf(cargoKit, 'src/lib.rs')}\n#[cfg(test)]\nmod tests {\n    use super::*;\n\n    #[test]\n    fn single() {\n        assert_eq!(add(&[5]), 5);\n    }\n}\n`,
    },
    moves: [
      mend(cargoKit),
      {
        edit: 'src/lib.rs',
        from: '    #[test]\n',
        to: '    #[test]\n    fn two() {\n        assert_eq!(add(&[1, 2]), 3);\n    }\n\n    #[test]\n',
      },
      {
        edit: 'src/lib.rs',
        from: '// Adds them up.',
        to: '/// Adds them up.\n///\n/// ```\n/// assert_eq!(sums::add(&[4]), 4);\n/// ```',
      },
    ],
    ends: 'certified',
  },
  {
    name: 'fixes the bug, with an example in the documentation (pytest)',
    stage: pytestKit.stage,
    moves: [
      mend(pytestKit),
      {
        edit: 'sums.py',
        from: '"""Adds them up."""',
        to: '"""Adds them up.\n\n    >>> add([4])\n    4\n    """',
      },
    ],
    ends: 'certified',
  },
  {
    name: 'a page and the style that it loads (vitest)',
    stage: vitestKit.stage,
    files: {
      'public/index.html':
        '<link rel="stylesheet" href="app.css"><script type="module" src="../src/sum.js"></script>\n',
      'public/app.css': 'p { color: red }\n',
      'test/page.test.js':
        "import { readFileSync } from 'node:fs'\nimport { expect, test } from 'vitest'\n\ntest('the page', () => {\n  expect(readFileSync('public/index.html', 'utf8')).toContain('sum.js')\n  expect(readFileSync('public/app.css', 'utf8')).not.toBe('')\n})\n",
    },
    moves: [
      fix,
      { edit: 'public/index.html', from: '<link', to: '<h1>Sums</h1><link' },
      { edit: 'public/app.css', from: 'red', to: 'blue' },
    ],
    ends: 'certified',
  },
]
