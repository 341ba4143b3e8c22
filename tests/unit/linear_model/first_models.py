"""Saved models as the first version wrote them, letter by letter (the regression with fewer charges)."""

REGRESSION = """{
  "format": "relgauss linear model",
  "version": 1,
  "model": "PrivateRidge",
  "epsilon": 5.0,
  "delta": 1e-06,
  "parameters": {
    "alpha": 0.0,
    "fit_intercept": true,
    "mechanism": "relative"
  },
  "features": [
    "a",
    "b"
  ],
  "reading": null,
  "classes": [],
  "coefficients": [
    0.9891260800521696,
    1.9738639973388439
  ],
  "intercept": -0.012932370441268213,
  "outcome": {
    "kind": "Fitted",
    "ignored": [],
    "half_widths": [
      3.5,
      3.5
    ]
  },
  "privacy": {
    "delta": 1e-06,
    "simulated": true,
    "unit": "one row is one person",
    "neighbours": "one record replaced by another; the number of records is public",
    "charges": [
      {
        "stage": "column ranges",
        "guarantee": {
          "kind": "GaussianDP",
          "mu": 0.23710957380577855
        },
        "theorem": "proofs/regression.md",
        "conditions": [
          {
            "text": "no column was computed or chosen from these records (scaling, imputing, selecting)",
            "provenance": "assumed"
          },
          {
            "text": "each record's contribution is clipped to the bound that its noise is made for",
            "provenance": "enforced"
          }
        ],
        "times": 1
      },
      {
        "stage": "certificate",
        "guarantee": {
          "kind": "ApproximateDP",
          "epsilon": 0.5,
          "delta": 1e-07
        },
        "theorem": "proofs/certificates.md",
        "conditions": [],
        "times": 1
      },
      {
        "stage": "certificate",
        "guarantee": {
          "kind": "Failure",
          "probability": 1e-07
        },
        "theorem": "proofs/certificates.md",
        "conditions": [],
        "times": 1
      },
      {
        "stage": "gradients",
        "guarantee": {
          "kind": "GaussianPairDP",
          "shift": 0.2860991440877627,
          "excess": 0.0045095726300783566,
          "dim": 3
        },
        "theorem": "proofs/exact-pair.md",
        "conditions": [],
        "times": 6
      }
    ]
  }
}"""

CLASSIFIER = """{
  "format": "relgauss linear model",
  "version": 1,
  "model": "PrivateLogisticRegression",
  "epsilon": 1.0,
  "delta": 1e-06,
  "parameters": {
    "alpha": 0.0,
    "fit_intercept": true
  },
  "features": null,
  "reading": null,
  "classes": [
    "no",
    "yes"
  ],
  "coefficients": [
    0.0,
    0.0
  ],
  "intercept": 0.4439492089471989,
  "outcome": {
    "kind": "Degraded",
    "reason": "50 records are too few for 2 features at this budget.",
    "fix": "Use at least 1,819 records."
  },
  "privacy": {
    "delta": 1e-06,
    "simulated": true,
    "unit": "one row is one person",
    "neighbours": "one record replaced by another; the number of records is public",
    "charges": [
      {
        "stage": "mean label",
        "guarantee": {
          "kind": "GaussianDP",
          "mu": 0.23670438066305666
        },
        "theorem": "proofs/regression.md",
        "conditions": [
          {
            "text": "which classes there are is public: 'no' and 'yes'",
            "provenance": "assumed"
          },
          {
            "text": "no column was computed or chosen from these records (scaling, imputing, selecting)",
            "provenance": "assumed"
          },
          {
            "text": "each record's contribution is clipped to the bound that its noise is made for",
            "provenance": "enforced"
          }
        ],
        "times": 1
      }
    ]
  }
}"""
