/** Repositories of JavaScript and TypeScript that are installed with pnpm, Yarn or Bun. */

import type { Repository } from './repository.ts'

const pnpm = [['pnpm', 'install', '--frozen-lockfile', '--ignore-scripts']]
const yarn = [['yarn', 'install', '--frozen-lockfile', '--ignore-scripts', '--ignore-engines']]
const berry = [['yarn', 'install', '--immutable', '--mode=skip-build']]
const bun = [['bun', 'install', '--frozen-lockfile', '--ignore-scripts']]

export const otherNodeRepositories: readonly Repository[] = [
  {
    name: 'unjs/ufo',
    commit: '11308c0bb5cb4a4bc3bfcbdc5c03177b097423e6',
    manager: 'pnpm',
    runner: 'vitest',
    check: 'pnpm vitest run',
    reduced: 'the rest of its test command lints',
    tools: ['pnpm@10.28.0'],
    install: pnpm,
    fault: { file: 'src/utils.ts', good: '["./", "../"]', bad: '["./"]' },
    test: {
      file: 'test/relative.test.ts',
      text: `import { expect, test } from "vitest";
import { isRelative } from "../src";

test("a path of the parent is relative", () => {
  expect(isRelative("../foo")).toBe(true);
});
`,
    },
    docs: { file: 'README.md', line: 'Paths of a parent folder are relative.' },
  },
  {
    name: 'colinhacks/zod',
    commit: 'e516c3baf22615e20934116abebfed6c000222c2',
    manager: 'pnpm',
    runner: 'vitest',
    check: 'pnpm vitest run packages/zod/src/v4/mini',
    reduced: 'all of it takes minutes; this is one package of the monorepo',
    tools: ['pnpm@10.12.1'],
    install: pnpm,
    fault: {
      file: 'packages/zod/src/v4/core/checks.ts',
      good: 'if (def.inclusive ? payload.value <= def.value : payload.value < def.value) {',
      bad: 'if (def.inclusive ? payload.value < def.value : payload.value < def.value) {',
    },
    test: {
      file: 'packages/zod/src/v4/mini/tests/maximum.test.ts',
      text: `import { expect, test } from "vitest";
import * as z from "zod/mini";

test("a maximum is included", () => {
  expect(z.number().check(z.lte(5)).safeParse(5).success).toBe(true);
});
`,
    },
    docs: { file: 'README.md', line: 'A maximum of `lte` is included.' },
  },
  {
    name: 'vercel/ms',
    commit: '4b85938394832e62e6e25cca5c151bbc97fe26e2',
    manager: 'pnpm',
    runner: 'jest',
    check: 'pnpm run test:nodejs',
    reduced: 'the other half runs the same tests in another environment',
    tools: ['pnpm@10.14.0'],
    install: pnpm,
    fault: {
      file: 'src/index.ts',
      good: "case 'w':\n      return n * w;",
      bad: "case 'w':\n      return n * d;",
    },
    test: {
      file: 'src/weeks.test.ts',
      text: `import { expect, it } from '@jest/globals';
import { parse } from './index';

it('should count the days of a week', () => {
  expect(parse('2 weeks')).toBe(parse('14 days'));
});
`,
    },
    docs: { file: 'readme.md', line: 'A week has seven days.' },
  },
  {
    name: 'immerjs/immer',
    commit: '061c2425e1c9dff89e4e4189d42af1b7839dfe0a',
    manager: 'yarn 1',
    runner: 'vitest',
    check:
      'yarn vitest run __tests__/base.js __tests__/isDraftable.js __tests__/draftable-plain.js',
    reduced: 'other files use what Node has since version 22; the build and Flow are apart',
    tools: ['yarn@1.22.22'],
    install: yarn,
    fault: {
      file: 'src/utils/common.ts',
      good: 'isPlainObject(value) ||\n\t\tisArray(value) ||',
      bad: 'isPlainObject(value) ||',
    },
    test: {
      file: '__tests__/draftable-plain.js',
      text: `import {isDraftable} from "../src/immer"

test("plain objects and arrays are draftable", () => {
	expect(isDraftable({})).toBe(true)
	expect(isDraftable([])).toBe(true)
})
`,
    },
    docs: { file: 'readme.md', line: 'Plain objects and arrays are draftable.' },
  },
  {
    name: 'reduxjs/redux',
    commit: '3084fc33bb23ab4cab4796172eafe342da4e73d9',
    manager: 'yarn 4',
    runner: 'vitest',
    check: 'yarn test',
    tools: ['@yarnpkg/cli-dist@4.4.1'],
    install: berry,
    fault: { file: 'src/compose.ts', good: 'a(b(...args))', bad: 'b(a(...args))' },
    test: {
      file: 'test/compose-order.spec.ts',
      text: `import { compose } from '../src'

it('composes the last function first', () => {
  const add = (x: number) => x + 1
  const double = (x: number) => x * 2
  expect(compose(add, double)(5)).toBe(11)
})
`,
    },
    docs: { file: 'README.md', line: '`compose` calls the last function first.' },
  },
  {
    name: 'arcanis/clipanion',
    commit: '434b5a6e0063c58b5e2f0a62498a7de0b308308f',
    manager: 'yarn 4, PnP',
    runner: 'jest',
    check: 'yarn jest tests/specs/core.test.ts tests/specs/utils.test.ts',
    reduced: 'the other files build bundles for minutes',
    tools: ['@yarnpkg/cli-dist@4.4.1'],
    install: berry,
    fault: {
      file: 'sources/format.ts',
      good: 'return text ? `${text}\\n` : ``;',
      bad: 'return text;',
    },
    test: {
      file: 'tests/specs/utils.test.ts',
      text: `import {formatMarkdownish} from '../../sources/format';

it('ends text with a line break', () => {
  const format = {header: (s: string) => s, bold: (s: string) => s, error: (s: string) => s, code: (s: string) => s};
  expect(formatMarkdownish('hello', {format, paragraphs: false})).toMatch(/^hello\\s$/);
});
`,
    },
    docs: { file: 'README.md', line: 'Formatted text ends with a line break.' },
  },
  {
    name: 'babel/babel',
    commit: '1da3cfa1a25503c7ecba7304f8738933e6d16dca',
    manager: 'yarn 4',
    runner: 'prettier',
    check: 'yarn prettier --check packages/babel-helper-validator-option',
    reduced: 'its tests need a build of all packages; this shows 27,674 files and their install',
    tools: ['@yarnpkg/cli-dist@4.17.0'],
    install: berry,
    fault: {
      file: 'packages/babel-helper-validator-option/src/find-suggestion.ts',
      good: '  if (!m) {\n    return n;',
      bad: '  if (!m) {\n  return n;',
    },
    test: {
      file: 'packages/babel-helper-validator-option/test/find-suggestion-exact.js',
      text: `import { findSuggestion } from "../lib/find-suggestion.js";

describe("findSuggestion", () => {
  it("should prefer an exact match", () => {
    expect(findSuggestion("cat", ["cut", "cat"])).toBe("cat");
  });
});
`,
    },
    docs: {
      file: 'packages/babel-helper-validator-option/README.md',
      line: 'An exact match is preferred.',
    },
  },
  {
    name: 'honojs/hono',
    commit: '28a9c128912de19f3fb28b00ae289c9b93f6f392',
    manager: 'bun',
    runner: 'vitest',
    check: 'bun x vitest --run src/utils',
    reduced: 'all of it takes minutes and compiles types',
    tools: ['@oven/bun-linux-x64@1.2.20'],
    install: bun,
    fault: {
      file: 'src/utils/mime.ts',
      good: 'return mimes[match[1].toLowerCase()]',
      bad: 'return mimes[match[1]]',
    },
    test: {
      file: 'src/utils/mime-case.test.ts',
      text: `import { getMimeType } from './mime'

describe('mime', () => {
  it('ignores the case of an extension', () => {
    expect(getMimeType('LOGO.PNG')).toBe('image/png')
  })
})
`,
    },
    docs: { file: 'README.md', line: 'MIME types ignore the case of an extension.' },
  },
]
