/** Projects for pytest and unittest. */

import type { RunnerProject } from './identity-projects.ts'

const unittestFile = `import unittest

class TestS(unittest.TestCase):
    def test_x(self): self.assertEqual(1, 1)
    def test_y(self): self.assertEqual(1, 2)
    @unittest.skip('later')
    def test_k(self): pass

if __name__ == '__main__':
    unittest.main()
`

const unittestTests = [
  'failed tests/test_a.py > TestS > test_y',
  'passed tests/test_a.py > TestS > test_x',
  'skipped tests/test_a.py > TestS > test_k',
]

export const pythonProjects: readonly RunnerProject[] = [
  {
    name: 'pytest',
    packages: [],
    needs: 'pytest',
    command: ['pytest', '-q'],
    files: {
      'tests/test_a.py': `import pytest
class TestS:
    def test_x(self): pass
    def test_y(self): assert 1 == 2
@pytest.mark.skip
def test_k(): pass
@pytest.mark.parametrize("v", [1, "a::b"])
def test_p(v): pass
`,
      'tests/test_inherits.py': 'from test_a import TestS as S\nclass TestT(S): pass\n',
      'tests/test_broken.py': 'import missing_module\n',
    },
    tests: [
      'failed tests/test_a.py > TestS > test_y',
      'failed tests/test_broken.py > (file)',
      'failed tests/test_inherits.py > TestT > test_y',
      'passed tests/test_a.py > TestS > test_x',
      'passed tests/test_a.py > test_p[1]',
      'passed tests/test_a.py > test_p[a::b]',
      'passed tests/test_inherits.py > TestT > test_x',
      'skipped tests/test_a.py > test_k',
    ],
    only: 'tests/test_a.py > TestS > test_y',
  },
  {
    name: 'unittest',
    packages: [],
    needs: 'python3',
    command: ['python3', '-m', 'unittest', 'discover', '-s', 'tests', '-t', '.'],
    files: {
      'tests/__init__.py': '',
      'tests/test_a.py': unittestFile,
      'tests/test_broken.py': 'import missing_module\n',
    },
    tests: [...unittestTests, 'failed tests/test_broken.py > (file)'],
    only: 'tests/test_a.py > TestS > test_y',
  },
  {
    name: 'unittest as a program',
    packages: [],
    needs: 'python3',
    command: ['python3', 'tests/test_a.py'],
    files: { 'tests/test_a.py': unittestFile },
    tests: unittestTests,
    only: 'tests/test_a.py > TestS > test_y',
  },
  {
    name: 'unittest under pytest',
    packages: [],
    needs: 'pytest',
    command: ['pytest', '-q'],
    files: { 'tests/test_a.py': unittestFile },
    tests: unittestTests,
    only: 'tests/test_a.py > TestS > test_y',
  },
]
