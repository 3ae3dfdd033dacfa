import js from "@eslint/js";

export default [
  { ignores: ["**/*.d.ts"] },
  js.configs.recommended,
  {
    languageOptions: { ecmaVersion: 2024, sourceType: "module" },
    linterOptions: { reportUnusedDisableDirectives: "error" },
    rules: {
      "no-undef": "off", // tsc knows the browser's names
      "array-callback-return": "error",
      "arrow-body-style": "error",
      eqeqeq: "error",
      "no-else-return": "error",
      "no-implicit-coercion": "error",
      "no-restricted-syntax": [
        "error",
        {
          selector: "MemberExpression[property.name=/^(innerHTML|outerHTML|insertAdjacentHTML)$/]",
          message: "Text is set as text.",
        },
      ],
      "no-self-compare": "error",
      "no-throw-literal": "error",
      "no-unneeded-ternary": "error",
      "no-useless-rename": "error",
      "no-useless-return": "error",
      "no-var": "error",
      "object-shorthand": "error",
      "prefer-const": "error",
      "prefer-object-spread": "error",
      "prefer-template": "error",
    },
  },
];
