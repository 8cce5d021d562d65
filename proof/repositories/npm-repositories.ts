/** Repositories of JavaScript that are installed with npm. */

import type { Repository } from './repository.ts'

const npmInstall = [['npm', 'install', '--ignore-scripts', '--no-audit', '--no-fund']]
const npmCi = [['npm', 'ci', '--ignore-scripts', '--no-audit', '--no-fund']]

export const npmRepositories: readonly Repository[] = [
  {
    name: 'expressjs/express',
    commit: 'a3714473feb3d2908add734d340e7755fd85e0a3',
    manager: 'npm, no lockfile',
    runner: 'mocha',
    check: 'npm test',
    prepare: npmInstall,
    fault: {
      file: 'lib/response.js',
      good: 'return `<${links[rel]}>; rel="${rel}"`;',
      bad: 'return `<${links[rel]}>; rel=${rel}`;',
    },
    test: {
      file: 'test/res.links.quotes.js',
      text: `'use strict'

var express = require('..')
var request = require('supertest')

describe('res.links(obj)', function () {
  it('should quote the relation', function (done) {
    var app = express()
    app.use(function (req, res) {
      res.links({ self: '/here' })
      res.end()
    })
    request(app).get('/').expect('Link', '</here>; rel="self"').expect(200, done)
  })
})
`,
    },
    docs: { file: 'Readme.md', line: 'Relations of `res.links()` are quoted.' },
  },
  {
    name: 'fastify/fast-uri',
    commit: 'c6a74bfd9d8c6b0df5362b3c7ae88d8021cb1e39',
    manager: 'npm, no lockfile',
    runner: 'tape',
    check: 'npm test',
    prepare: npmInstall,
    fault: {
      file: 'index.js',
      good: 'normalizedB !== undefined && normalizedA === normalizedB',
      bad: 'normalizedB !== undefined && normalizedA !== normalizedB',
    },
    test: {
      file: 'test/equal-itself.test.js',
      text: `'use strict'

const test = require('tape')
const fastURI = require('..')

test('a URI equals itself', (t) => {
  t.equal(fastURI.equal('http://example.com/a', 'http://example.com/a'), true)
  t.end()
})
`,
    },
    docs: { file: 'README.md', line: 'A URI is always equal to itself.' },
  },
  {
    name: 'sindresorhus/p-limit',
    commit: 'df476048d023ff868cd45b35ee47f5fb0ca2b25a',
    manager: 'npm, no lockfile',
    runner: 'ava',
    check: 'npm test',
    prepare: npmInstall,
    fault: {
      file: 'index.js',
      good: 'if (activeCount < concurrency && queue.size > 0) {',
      bad: 'if (activeCount <= concurrency && queue.size > 0) {',
    },
    test: {
      file: 'test-one.js',
      text: `import test from 'ava';
import pLimit from './index.js';

test('one at a time', async t => {
	const limit = pLimit(1);
	let running = 0;
	const task = async () => {
		running++;
		t.is(running, 1);
		await undefined;
		running--;
	};

	await Promise.all([limit(task), limit(task), limit(task)]);
});
`,
    },
    docs: { file: 'readme.md', line: 'A concurrency of 1 runs one function at a time.' },
  },
  {
    name: 'lukeed/clsx',
    commit: '684509c3860a71e9e301b8c33f67e98ad5990c62',
    manager: 'npm, no lockfile',
    runner: 'uvu',
    check: 'npm test',
    prepare: npmInstall,
    fault: {
      file: 'src/index.js',
      good: "typeof mix === 'string' || typeof mix === 'number'",
      bad: "typeof mix === 'string'",
    },
    test: {
      file: 'test/numbers.js',
      text: `import { test } from 'uvu';
import * as assert from 'uvu/assert';
import clsx from '../src';

test('keeps numbers', () => {
	assert.is(clsx(1, 'a', 2), '1 a 2');
});

test.run();
`,
    },
    docs: { file: 'readme.md', line: 'Numbers are kept.' },
  },
  {
    name: 'jasmine/jasmine-npm',
    commit: '3c2955c9535d4468e07d37f8ad5e38cf870cf924',
    manager: 'npm, no lockfile',
    runner: 'jasmine',
    check:
      'node ./bin/jasmine.js "spec/filters/*_spec.js" "spec/path*_spec.js" "spec/loader_spec.js"',
    reduced: 'one of the other files fails on machines with two cores; the rest of npm test lints',
    prepare: npmInstall,
    fault: {
      file: 'lib/filters/path_spec_filter.js',
      good: 'if (specPath[i] !== filterPath[i]) {',
      bad: 'if (specPath[i] === filterPath[i]) {',
    },
    test: {
      file: 'spec/filters/path_prefix_spec.js',
      text: `const pathSpecFilter = require('../../lib/filters/path_spec_filter');

describe('pathSpecFilter of one name', function() {
  it('matches what is below it', function() {
    const filter = pathSpecFilter(['a']);
    expect(filter({ getPath: () => ['a', 'b'] })).toBe(true);
    expect(filter({ getPath: () => ['c', 'b'] })).toBe(false);
  });
});
`,
    },
    docs: { file: 'README.md', line: 'A path filter matches prefixes.' },
  },
  {
    name: 'npm/node-semver',
    commit: '6e05b7637396ac66522cff8731f07cfe0ef49a29',
    manager: 'npm, no lockfile',
    runner: 'tap',
    check: 'npx --no-install tap',
    reduced: 'the rest of npm test lints, and compares package.json with the address of the clone',
    prepare: npmInstall,
    fault: {
      file: 'functions/major.js',
      good: 'new SemVer(a, loose).major',
      bad: 'new SemVer(a, loose).minor',
    },
    test: {
      file: 'test/integration/major-zero.js',
      text: `'use strict'

const { test } = require('tap')
const major = require('../../functions/major')

test('major of a version before 1', (t) => {
  t.equal(major('0.2.3'), 0)
  t.end()
})
`,
    },
    docs: { file: 'README.md', line: '`major()` of a version before 1 is 0.' },
  },
  {
    name: 'tj/commander.js',
    commit: 'ba6d13ddb4243e5913367734f8c159089ffe7834',
    manager: 'npm',
    runner: 'node:test',
    check: 'node --test',
    reduced: 'the rest of npm test compiles types, for 60 s on two cores',
    install: npmCi,
    fault: {
      file: 'lib/suggestSimilar.js',
      good: 'd[i][j - 1] + 1, // insertion',
      bad: 'd[i][j - 1] + 3, // insertion',
    },
    test: {
      file: 'tests/suggest-insertion.test.js',
      text: `import { test } from 'node:test';
import assert from 'node:assert/strict';
import { suggestSimilar } from '../lib/suggestSimilar.js';

test('a missing letter is suggested', () => {
  assert.match(suggestSimilar('stat', ['start']), /start/);
});
`,
    },
    docs: { file: 'Readme.md', line: 'A word with a missing letter gets a suggestion.' },
  },
  {
    name: 'iamkun/dayjs',
    commit: '0f6c19e3b63bcc3ff74917cb3a60125020c75648',
    manager: 'npm',
    runner: 'jest',
    check: 'npx jest --coverage=false --testPathPattern "test/[a-z-]+[.]test[.]js"',
    reduced:
      'npm test is nine runs of jest, one for each time zone, some of which depend on the date',
    install: npmCi,
    fault: {
      file: 'src/utils.js',
      good: 'Array((length + 1) - s.length)',
      bad: 'Array(length - s.length)',
    },
    test: {
      file: 'test/pad.test.js',
      text: `import Utils from '../src/utils'

it('pads to the length', () => {
  expect(Utils.s('7', 3, '0')).toBe('007')
})
`,
    },
    docs: { file: 'README.md', line: 'Numbers are padded with zeros.' },
  },
]
