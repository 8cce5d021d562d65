/** Other kinds of projects, and unusual checks. */

import { printing } from '../printing.ts'
import {
  fix,
  goodSum,
  lintStage,
  makeStage,
  programStage,
  projectFiles,
  pythonStage,
  scriptStage,
} from '../stages.ts'
import type { Files, Honest } from '../story.ts'

const nothing: Files = Object.fromEntries(Object.keys(projectFiles).map((path) => [path, null]))
const manifest = (more: object): string =>
  `${JSON.stringify({ private: true, type: 'module', ...more }, null, 2)}\n`
const pass = '{"token":"TOKEN","verdict":"pass","reasons":[]}'

export const projects: readonly Honest[] = [
  { name: 'a program that asserts', stage: programStage, moves: [fix], ends: 'certified' },
  { name: 'a script of the project', stage: scriptStage, moves: [fix], ends: 'certified' },
  { name: 'make', stage: makeStage, moves: [fix], ends: 'certified' },
  { name: 'a project in Python', stage: pythonStage, moves: pythonStage.fix, ends: 'certified' },
  {
    name: 'a project in shell only',
    files: {
      ...nothing,
      'greet.sh': '#!/bin/sh\necho "hello $1"\n',
      'check.sh':
        '#!/bin/sh\n[ "$(sh greet.sh you)" = "Hello you" ] || { echo "no greeting"; exit 1; }\n',
    },
    loop: { checks: { greets: 'sh check.sh' } },
    moves: [{ edit: 'greet.sh', from: 'hello', to: 'Hello' }],
    ends: 'certified',
  },
  {
    name: 'several packages',
    files: {
      ...nothing,
      'package.json': manifest({ name: 'all', version: '1.0.0', workspaces: ['packages/*'] }),
      'packages/sum/package.json': manifest({
        name: 'sum',
        version: '1.0.0',
        scripts: { test: 'node --test' },
      }),
      'packages/sum/src/sum.js': projectFiles['src/sum.js'] ?? '',
      'packages/sum/test/sum.test.js': projectFiles['test/sum.test.js'] ?? '',
      'packages/clamp/package.json': manifest({
        name: 'clamp',
        version: '1.0.0',
        scripts: { test: 'node --test' },
      }),
      'packages/clamp/src/clamp.js': projectFiles['src/clamp.js'] ?? '',
      'packages/clamp/test/clamp.test.js': projectFiles['test/clamp.test.js'] ?? '',
    },
    loop: { checks: { tests: 'npm test --workspaces' } },
    moves: [{ edit: 'packages/sum/src/sum.js', from: 'list.slice(1)', to: 'list.slice(0)' }],
    ends: 'certified',
  },
  {
    name: 'a linter that failed before, and may',
    stage: lintStage,
    files: { 'src/sum.js': `debugger\n${projectFiles['src/sum.js'] ?? ''}` },
    loop: {
      checks: { lint: { run: 'node tools/lint.js', existing: 'allow' }, tests: 'node --test' },
    },
    moves: [fix],
    ends: 'certified',
  },
  {
    name: 'a linter alone, which cannot show what code does',
    stage: lintStage,
    loop: { checks: { lint: 'node tools/lint.js' } },
    moves: lintStage.fix,
    ends: 'certified',
  },
  {
    name: 'a linter alone, without planted failures',
    stage: lintStage,
    loop: { checks: { lint: 'node tools/lint.js' }, certify: { teeth: false } },
    moves: lintStage.fix,
    ends: 'certified',
  },
  {
    name: 'a text, and a judge who reads it',
    files: { ...nothing, 'letter.md': 'Dear all,\n\nteh end.\n' },
    loop: {
      checks: {
        review: { judge: { command: [...printing(pass)] }, prompt: 'Is the spelling right?' },
      },
    },
    moves: [{ edit: 'letter.md', from: 'teh', to: 'the' }],
    ends: 'certified',
  },
  {
    name: 'a judge beside the tests',
    loop: {
      checks: {
        tests: 'node --test',
        review: { judge: { command: [...printing(pass)] }, prompt: 'Is it right?' },
      },
    },
    moves: [fix],
    ends: 'certified',
  },
  {
    name: 'another agent approves',
    loop: {
      certify: {
        consult: [
          {
            name: 'peer',
            agent: {
              command: [...printing('{"token":"TOKEN","verdict":"approved","reasons":[]}')],
            },
            prompt: 'Look at it.',
          },
        ],
      },
    },
    moves: [fix],
    ends: 'certified',
  },
  {
    name: 'a slow check',
    loop: { checks: { tests: 'sleep 2; node --test' } },
    moves: [fix],
    ends: 'certified',
  },
  {
    name: 'a check with a variable',
    loop: {
      checks: { tests: { run: 'test "$MODE" = full && node --test', env: { MODE: 'full' } } },
    },
    moves: [fix],
    ends: 'certified',
  },
  {
    name: 'tests that write an uncommitted report',
    loop: { checks: { tests: 'mkdir -p coverage && date > coverage/report.txt && node --test' } },
    moves: [fix],
    ends: 'certified',
  },
  {
    name: 'tests that write to a file of the tree',
    files: { 'test/last-run.log': 'never\n' },
    loop: { checks: { tests: 'date +%N > test/last-run.log; node --test' } },
    moves: [fix],
    ends: 'certified',
  },
  {
    name: 'the fix of a certified fix',
    files: { 'src/sum.js': goodSum.replace('total += number', 'total -= number') },
    moves: [{ edit: 'src/sum.js', from: '-=', to: '+=' }],
    ends: 'certified',
  },
]
