export default [
    {
        rules: {
            "no-var": "error",
            "prefer-const": "error",
            "no-extra-boolean-cast": "error",
        },
    },
];
