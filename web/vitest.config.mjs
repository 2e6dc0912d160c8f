// How the tests are run: JSX as the build has it.
export default {
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  test: { globals: true, testTimeout: 60_000 }, // milliseconds: a machine that does much else is slow
};
